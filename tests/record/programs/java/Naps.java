/**
 * Naps MS [alone]: works without a wait, and then as long beside threads that wait again and again, which tell how much of their
 * time they asked to wait, and how much they waited, in per cent: the rest is until they had a processor.
 */
public class Naps {
    static volatile long sink;

    static void work(long ns) {
        final long end = System.nanoTime() + ns;
        long sum = sink;
        while (System.nanoTime() < end) {
            sum = sum * 31 + 1;
        }
        sink = sum;
    }

    static void nap(long ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    static void workAndNap(long workMs, long napMs, long until) {
        final long begin = System.nanoTime();
        long asked = 0;
        long waited = 0;
        try {
            while (System.nanoTime() < until) {
                work(workMs * 1000000);
                final long from = System.nanoTime();
                nap(napMs);
                waited += System.nanoTime() - from;
                asked += napMs * 1000000;
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        final double whole = System.nanoTime() - begin;
        System.out.println(Thread.currentThread().getName() + " " + 100 * asked / whole + " " + 100 * waited / whole);
    }

    public static void main(String[] words) throws InterruptedException {
        final long ns = Long.parseLong(words[0]) * 1000000;
        final long[][] each = {{5, 2}, {20, 5}, {30, 50}};
        final Thread[] threads = new Thread[each.length];
        work(ns);
        if (words.length > 1) {
            return;
        }
        final long until = System.nanoTime() + ns;
        for (int i = 0; i < each.length; i++) {
            final int own = i;
            threads[i] = new Thread("nap-" + each[i][1]) {
                @Override
                public void run() {
                    workAndNap(each[own][0], each[own][1], until);
                }
            };
            threads[i].start();
        }
        work(ns);
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
