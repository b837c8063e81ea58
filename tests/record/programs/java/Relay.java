import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CountDownLatch;

/**
 * Threads of which each starts the next one and ends: their number stays the same. Each spends the
 * given milliseconds of its CPU time in a counted loop without a safepoint in it.
 */
public class Relay {
    private static final int RUNNERS = 8;
    private static final int[] numbers = new int[1 << 16];
    private static final CountDownLatch end = new CountDownLatch(1);

    static void counted(int rounds) {
        int sum = 0;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < numbers.length; i++) {
                sum += numbers[i] * 31 + i;
                numbers[i] = sum;
            }
        }
    }

    static void run(int number, long ms) {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long until = clock.getCurrentThreadCpuTime() + ms * 1_000_000L;
        while (clock.getCurrentThreadCpuTime() < until) {
            counted(60);
        }
        if (number == RUNNERS) {
            end.countDown();
        } else {
            start(number + 1, ms);
        }
    }

    private static void start(int number, long ms) {
        new Thread("runner ".concat(Integer.toString(number))) {
            @Override
            public void run() {
                Relay.run(number, ms);
            }
        }.start();
    }

    public static void main(String[] words) throws InterruptedException {
        long ms = Long.parseLong(words[0]);
        // The first use loads classes for 50 to 150 ms, which are none of a runner's; so would a lambda, and "a" + b.
        ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        start(1, ms);
        end.await();
    }
}
