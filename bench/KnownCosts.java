import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * A program whose methods' own times are known, as bench/known_costs.c. What a method does itself is a chain of
 * multiplications that wait for each other, or of reads through memory; the length of the chain is known. Prints one JSON
 * array: for each case its method, its calls and its own nanoseconds.
 */
public class KnownCosts {
    static final int STRETCHES = 100, WARM_UPS = 50;
    static final int RULER_STEPS = 200000;
    static final int LINKS = 1 << 20;
    static final long FACTOR = 6364136223846793005L, TERM = 1442695040888963407L;
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final int[] NEXT = new int[LINKS];
    static long seed = 88172645463325252L, sum;
    static int at, total;
    static double multiplyNs, chaseNs;    // of a step, summed up over the stretches
    final int field = 1;

    static void nothing() {
    }

    static void tiny() {
        long value = seed;
        for (int i = 0; i < 10; i++) {
            value = value * FACTOR + TERM;
        }
        sum = value;
    }

    static void middle() {
        long value = seed;
        for (int i = 0; i < 100; i++) {
            value = value * FACTOR + TERM;
        }
        sum = value;
    }

    static void lengthy() {
        long value = seed;
        for (int i = 0; i < 1000; i++) {
            value = value * FACTOR + TERM;
        }
        sum = value;
    }

    static void oneCallee() {
        long value = seed;
        for (int i = 0; i < 30; i++) {
            value = value * FACTOR + TERM;
        }
        sum = value;
        nothing();
    }

    static void tenCallees() {
        for (int n = 0; n < 10; n++) {
            long value = seed;
            for (int i = 0; i < 10; i++) {
                value = value * FACTOR + TERM;
            }
            sum = value;
            nothing();
        }
    }

    int get() {
        return field;
    }

    int ofGetters() {
        long value = seed;
        for (int i = 0; i < 20; i++) {
            value = value * FACTOR + TERM;
        }
        sum = value;
        return get() + get();
    }

    static int fib(int n) {
        long value = seed;
        for (int i = 0; i < 15; i++) {
            value = value * FACTOR + TERM;
        }
        sum = value;
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static void chased() {
        int place = at;
        for (int i = 0; i < 5; i++) {
            place = NEXT[place];
        }
        at = place;
    }

    /** What a step takes on average, interruptions and all: the recorded calls have these, too. */
    static void measureSteps() {
        long begin = THREADS.getCurrentThreadCpuTime();
        long value = seed;
        for (int i = 0; i < RULER_STEPS; i++) {
            value = value * FACTOR + TERM;
        }
        sum = value;
        long between = THREADS.getCurrentThreadCpuTime();
        int place = at;
        for (int i = 0; i < RULER_STEPS / 10; i++) {
            place = NEXT[place];
        }
        at = place;
        long end = THREADS.getCurrentThreadCpuTime();
        multiplyNs += (between - begin) / (double) RULER_STEPS / 2;
        chaseNs += (end - between) / (RULER_STEPS / 10.0) / 2;
    }

    static void stretch() {
        for (int i = 0; i < 5000; i++) {
            nothing();
            tiny();
        }
        for (int i = 0; i < 3000; i++) {
            middle();
        }
        for (int i = 0; i < 1000; i++) {
            lengthy();
        }
        for (int i = 0; i < 3000; i++) {
            oneCallee();
        }
        for (int i = 0; i < 1000; i++) {
            tenCallees();
        }
        KnownCosts one = new KnownCosts();
        for (int i = 0; i < 1500; i++) {
            total += one.ofGetters();
        }
        total += fib(15);
        for (int i = 0; i < 2000; i++) {
            chased();
        }
    }

    static int callsOfFib(int n) {
        return n < 2 ? 1 : 1 + callsOfFib(n - 1) + callsOfFib(n - 2);
    }

    static void print(String method, int calls, int steps, double stepNs) {
        System.out.printf("%s{\"method\": \"%s\", \"calls\": %d, \"own_ns\": %.0f}", method.equals("nothing") ? "[" : ", ", method,
                          calls * STRETCHES, calls * steps * stepNs);
    }

    /** One ring through all places, in an order that no processor foresees. */
    static void makeRing() {
        long place = 0;
        for (int i = 0; i < LINKS; i++) {
            long next = (place * 1664525 + 1013904223) % LINKS;
            NEXT[(int) place] = (int) next;
            place = next;
        }
    }

    public static void main(String[] arguments) {
        makeRing();
        for (int i = 0; i < WARM_UPS; i++) {
            measureSteps();
        }
        multiplyNs = chaseNs = 0;
        for (int i = 0; i < STRETCHES; i++) {
            measureSteps();
            stretch();
            measureSteps();
        }
        print("nothing", 18000, 0, multiplyNs);
        print("tiny", 5000, 10, multiplyNs);
        print("middle", 3000, 100, multiplyNs);
        print("lengthy", 1000, 1000, multiplyNs);
        print("oneCallee", 3000, 30, multiplyNs);
        print("tenCallees", 1000, 100, multiplyNs);
        print("get", 3000, 0, multiplyNs);
        print("ofGetters", 1500, 20, multiplyNs);
        print("fib", callsOfFib(15), 15, multiplyNs);
        print("chased", 2000, 5, chaseNs);
        System.out.println("]");
    }
}
