import java.lang.management.ManagementFactory;

/**
 * Threads that work one after the other, and end: Ends COUNT MS. Tells what all of them used of a processor, in milliseconds, read by
 * each as the last that it does.
 */
public class Ends {
    static volatile long sink;
    static volatile double used;

    static double cpuMs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e6;
    }

    static void work(double until) {
        long sum = 1;
        while (cpuMs() < until)
            for (int i = 0; i < 10000; i++)
                sum = sum * 6364136223846793005L + 1442695040888963407L;
        sink += sum;
    }

    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[0]);
        double ms = Double.parseDouble(arguments[1]);
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> {
                work(ms);
                used += cpuMs();
            }, "worker");
            thread.start();
            thread.join();
        }
        System.out.println("all " + used);
    }
}
