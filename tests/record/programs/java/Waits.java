/** Calls the same methods over and over, until something comes in on its standard input. */
public class Waits {
    static int steps;

    static int half(int n) {
        return n / 2;
    }

    static int step() {
        steps++;
        return half(steps) + half(steps);
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        while (System.in.available() == 0) {
            for (int i = 0; i < 1000; i++) {
                step();
            }
            Thread.sleep(1);
        }
        System.out.println(steps);
    }
}
