import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Waits for each kind of lock five times, while a known thread has it. */
public class Locks {
    static final Object MONITOR = new Object();
    static final ReentrantLock LOCK = new ReentrantLock();
    static final int ROUNDS = 5;

    /** Until the thread waits, or parks. */
    static void awaitWaiting(Thread thread) throws InterruptedException {
        while (thread.getState() != Thread.State.BLOCKED && thread.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
    }

    static void enterMonitor() {
        synchronized (MONITOR) {
            MONITOR.notifyAll();
        }
    }

    static synchronized void enterClass() {
    }

    static void lock() {
        LOCK.lock();
        LOCK.unlock();
    }

    /** Starts a thread while the calling one holds what it needs. */
    static Thread begin(Runnable work, String name) throws InterruptedException {
        Thread thread = new Thread(work, name);
        thread.start();
        awaitWaiting(thread);
        // Who holds it is asked at a safepoint, to which the calling thread may come first.
        Thread.sleep(20);
        return thread;
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            Thread waiting;
            synchronized (MONITOR) {
                waiting = begin(Locks::enterMonitor, "wants the monitor");
            }
            waiting.join();
            synchronized (Locks.class) {
                waiting = begin(Locks::enterClass, "wants the class");
            }
            waiting.join();
            LOCK.lock();
            waiting = begin(Locks::lock, "wants the lock");
            LOCK.unlock();
            waiting.join();
            CountDownLatch latch = new CountDownLatch(1);
            waiting = begin(() -> {
                try {
                    latch.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }, "wants the latch");
            latch.countDown();
            waiting.join();
            waiting = begin(LockSupport::park, "parks");
            LockSupport.unpark(waiting);
            waiting.join();
        }
        synchronized (MONITOR) {
            Thread waker = new Thread(Locks::enterMonitor, "wakes");
            waker.start();
            MONITOR.wait();
        }
    }
}
