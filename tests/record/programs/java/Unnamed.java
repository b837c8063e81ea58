/** A thread that gets its name from the virtual machine, which counts those. */
public class Unnamed {
    public static void main(String[] arguments) throws InterruptedException {
        Thread thread = new Thread(() -> System.out.println(Thread.currentThread().getName()));
        thread.start();
        thread.join();
    }
}
