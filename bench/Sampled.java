/**
 * Works in THREADS threads at once, all begun before any of them works, and tells what the process took of a processor
 * meanwhile: Sampled THREADS UNITS, UNITS of all threads together, after as many that bring the code into its last form. A
 * unit is the same instructions each time, some 20 us.
 */
public class Sampled {
    private static final int LEVELS = 8;

    static long deep(long sum, int level) {
        if (level > 0)
            return deep(sum, level - 1) + 1;
        for (int i = 0; i < 20000; i++)
            sum = sum * 6364136223846793005L + 1442695040888963407L;
        return sum;
    }

    static long work(int units) {
        long sum = 0;
        for (int i = 0; i < units; i++)
            sum += deep(sum, LEVELS);
        return sum;
    }

    static long cpuNs() {
        return ((com.sun.management.OperatingSystemMXBean) java.lang.management.ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[0]);
        int units = Integer.parseInt(arguments[1]) / count;
        long[] sums = new long[count];
        java.util.concurrent.CountDownLatch begun = new java.util.concurrent.CountDownLatch(count);
        java.util.concurrent.CountDownLatch go = new java.util.concurrent.CountDownLatch(1);
        Thread[] threads = new Thread[count];
        work(units * count);
        for (int i = 0; i < count; i++) {
            int own = i;
            threads[i] = new Thread(() -> {
                begun.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                sums[own] = work(units);
            });
            threads[i].start();
        }
        begun.await();
        long begin = cpuNs();
        go.countDown();
        for (Thread thread : threads)
            thread.join();
        long took = cpuNs() - begin;
        long sum = 0;
        for (long one : sums)
            sum += one;
        System.out.println("{\"cpu_ms\": " + took / 1e6 + ", \"sum\": " + sum + "}");
    }
}
