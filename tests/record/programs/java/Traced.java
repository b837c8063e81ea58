import traceview.Debug;

/** Traces itself, and prints how often what it traced was called. */
public class Traced {
    static int count;

    static int leaf(int n) {
        count++;
        return n + 1;
    }

    static int tree(int n) {
        return n == 0 ? leaf(n) : tree(n - 1) + tree(n - 1);
    }

    static void spin(long milliseconds) {
        long end = System.nanoTime() + milliseconds * 1000000;
        while (System.nanoTime() < end) {
        }
    }

    static void print(String name) {
        System.out.println(name + " " + count);
        count = 0;
    }

    public static void main(String[] arguments) throws Exception {
        tree(3);
        print("untraced");
        Debug.startMethodTracing("first");
        tree(5);
        Debug.startMethodTracing("nested");
        tree(2);
        Debug.stopMethodTracing();
        print("first");
        Debug.stopMethodTracing();
        tree(3);
        print("between");
        Debug.startMethodTracing("second.trace", 1 << 20, Debug.TRACE_WALL_CLOCK);
        tree(6);
        Debug.stopMethodTracing();
        print("second");
        Debug.startMethodTracingSampling("third", 0, 1000);
        spin(200);
        Debug.stopMethodTracing();
        Debug.startMethodTracing(null, 64 * 1024);
        tree(12);
        Debug.stopMethodTracing();
        try {
            Debug.startMethodTracing("/nowhere/a.trace");
        } catch (RuntimeException expected) {
            System.out.println(expected.getMessage().replace(' ', '_') + " 0");
        }
    }
}
