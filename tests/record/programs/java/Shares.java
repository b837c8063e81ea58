import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * A program that knows what its methods cost: it reads the CPU clock of the thread around them, and
 * prints "method ms". One is a counted loop without a safepoint in it, and all of it waits between
 * bursts.
 */
public class Shares {
    private static final int[] numbers = new int[1 << 16];
    private static long sink;

    static void counted(int rounds) {
        int sum = 0;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < numbers.length; i++) {
                sum += numbers[i] * 31 + i;
                numbers[i] = sum;
            }
        }
        sink += sum;
    }

    static void other(int rounds) {
        long sum = 0;
        for (long i = 0; i < rounds * 1000L; i++) {
            sum += Long.numberOfTrailingZeros(i | 1) * i;
        }
        sink += sum;
    }

    static void nap() throws InterruptedException {
        Thread.sleep(5);
    }

    private static void tell(String what, long ns) {
        System.out.print(what);
        System.out.println(ns / 1000000.0);
    }

    public static void main(String[] words) throws InterruptedException {
        // The first use loads classes for 50 to 150 ms, which are none of what is told here; so would a lambda, and "a" + b.
        Thread loading = new Thread("loading") {
            @Override
            public void run() {
                ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            }
        };
        loading.start();
        loading.join();
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long counted = 0;
        long other = 0;
        long begin = clock.getCurrentThreadCpuTime();
        long end = begin + Long.parseLong(words[0]) * 1_000_000L;
        long now = begin;
        while (now < end) {
            long before = clock.getCurrentThreadCpuTime();
            counted(60);
            long between = clock.getCurrentThreadCpuTime();
            other(1500);
            now = clock.getCurrentThreadCpuTime();
            counted += between - before;
            other += now - between;
            nap();
        }
        tell("Shares.counted ", counted);
        tell("Shares.other ", other);
        tell("all ", now - begin);
    }
}
