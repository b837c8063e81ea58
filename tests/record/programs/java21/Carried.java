import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import traceview.Debug;

/**
 * Virtual threads that know how often their methods are called: eight that move between carriers while their calls are
 * open, or as many short ones as it is told, or ("late") one that runs before the recording begins, or ("watched") three
 * whose stacks are looked at. Java 21.
 */
public class Carried {
    static final int THREADS = 8;
    static final int ROUNDS = 20;
    static final int ALIVE = 50;

    static volatile long sum;

    /** Takes the time of the processor. */
    static void burn() {
        long number = 1;
        for (int i = 0; i < 400_000; i++) {
            number = number * 6364136223846793005L + 1442695040888963407L;
        }
        sum += number;
    }

    static void fail(int depth) {
        if (depth == 0) {
            throw new IllegalStateException("thrown");
        }
        fail(depth - 1);
    }

    /** Another carrier may have the thread behind each sleep. */
    static void wander(int rounds, boolean burns) throws InterruptedException {
        Thread.sleep(1);
        if (burns) {
            burn();
        }
        if (rounds > 1) {
            wander(rounds - 1, burns);
        }
        Thread.sleep(1);
        try {
            fail(2);
        } catch (IllegalStateException expected) {
            Thread.yield();
        }
    }

    static void rest(CountDownLatch end) throws InterruptedException {
        end.await();
    }

    interface Work {
        void run() throws InterruptedException;
    }

    static Runnable quietly(Work work) {
        return () -> {
            try {
                work.run();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        };
    }

    static void wandering() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        CountDownLatch end = new CountDownLatch(1);
        Thread.ofVirtual().name("rests").start(quietly(() -> rest(end)));
        for (int i = 0; i < THREADS; i++) {
            boolean burns = i % 2 == 0;
            Thread.Builder builder = Thread.ofVirtual();
            if (i > 0) {
                builder.name("wanders " + i);
            }
            threads.add(builder.start(quietly(() -> wander(ROUNDS, burns))));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("unnamed " + threads.get(0).threadId());
    }

    static volatile boolean isOver;
    static volatile int ticks;

    static void tick() {
        ticks++;
    }

    static void tickAll() {
        while (!isOver) {
            tick();
        }
    }

    static void waitForTicks() throws InterruptedException {
        for (int begin = ticks; ticks - begin < 100;) {
            Thread.sleep(1);
        }
    }

    /** A thread that a carrier has since before the recording began. */
    static void late() throws InterruptedException {
        Thread thread = Thread.ofVirtual().name("ticks").start(Carried::tickAll);
        waitForTicks();
        Debug.startMethodTracing("late");
        waitForTicks();
        isOver = true;
        thread.join();
        Debug.stopMethodTracing();
    }

    static void burnFor(long milliseconds) throws InterruptedException {
        long end = System.nanoTime() + milliseconds * 1_000_000;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 20; i++) {
                burn();
            }
            Thread.sleep(1);
        }
    }

    /** One that burns, and moves; one that is carried from before the recording on; one that waits. */
    static void watched() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        Thread before = Thread.ofVirtual().name("ticks").start(Carried::tickAll);
        waitForTicks();
        Debug.startMethodTracingSampling("watched", 0, 1000);
        Thread rests = Thread.ofVirtual().name("rests").start(quietly(() -> rest(end)));
        Thread burns = Thread.ofVirtual().name("burns").start(quietly(() -> burnFor(1000)));
        burns.join();
        end.countDown();
        rests.join();
        Debug.stopMethodTracing();
        isOver = true;
        before.join();
    }

    static void leaf() {
    }

    static void small(int number) {
        leaf();
        if (number % 10 == 0) {
            Thread.yield();
        }
    }

    static void many(int count) throws InterruptedException {
        Semaphore alive = new Semaphore(ALIVE);
        for (int i = 0; i < count; i++) {
            int number = i;
            alive.acquire();
            Thread.startVirtualThread(() -> {
                small(number);
                alive.release();
            });
        }
        alive.acquire(ALIVE);
    }

    public static void main(String[] arguments) throws InterruptedException {
        if (arguments.length > 0 && arguments[0].equals("late")) {
            late();
        } else if (arguments.length > 0 && arguments[0].equals("watched")) {
            watched();
        } else if (arguments.length > 0) {
            many(Integer.parseInt(arguments[0]));
        } else {
            wandering();
        }
    }
}
