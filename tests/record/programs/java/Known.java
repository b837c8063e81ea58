import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntUnaryOperator;

/** A program that knows how often each of its methods is called; it prints that at its end. */
public class Known {
    static final String[] NAMES = {
        "Known.fib", "Known.thrower", "Known.middle", "Known.catcher", "Known.deep", "Known.square", "Known.locked",
        "Known$Shape.<init>", "Known$Circle.<init>", "Known$Circle.area", "Known$Named.name", "Known$Lazy.<clinit>",
        "Known$Lazy.touch", "Known.work", "Known$Failing.<init>", "Known$Failing.check", "Known.rethrow",
        "Known$Bridge.compareTo", "Known$Foreign.<init>", "Known$Foreign.run", "Known.loops", "Known$Closed.findClass",
    };
    static final AtomicLongArray COUNTS = new AtomicLongArray(NAMES.length);
    static final int FIB = 0, THROWER = 1, MIDDLE = 2, CATCHER = 3, DEEP = 4, SQUARE = 5, LOCKED = 6, SHAPE = 7, CIRCLE = 8,
        AREA = 9, NAME = 10, LAZY = 11, TOUCH = 12, WORK = 13, FAILING = 14, CHECK = 15, RETHROW = 16, BRIDGE = 17,
        FOREIGN = 18, RUN = 19, LOOPS = 20, FIND = 21;

    static int fib(int n) {
        COUNTS.incrementAndGet(FIB);
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static void thrower(int depth) {
        COUNTS.incrementAndGet(THROWER);
        if (depth == 0) {
            throw new IllegalStateException("thrown");
        }
        thrower(depth - 1);
    }

    static int middle(int depth) {
        COUNTS.incrementAndGet(MIDDLE);
        try {
            thrower(depth);
        } finally {
            square(2);
        }
        return depth;
    }

    static int catcher(int depth) {
        COUNTS.incrementAndGet(CATCHER);
        try {
            return middle(depth);
        } catch (IllegalStateException caught) {
            return square(-1);
        }
    }

    static void rethrow() throws IOException {
        COUNTS.incrementAndGet(RETHROW);
        try {
            catcher(1);
            throw new IOException("first");
        } catch (IOException failure) {
            throw new IOException("second", failure);
        }
    }

    static int depth;

    /** As deep as the stack lets it. */
    static void deep() {
        depth++;
        deep();
    }

    static int square(int n) {
        COUNTS.incrementAndGet(SQUARE);
        return n * n;
    }

    static synchronized void locked(boolean fails) {
        COUNTS.incrementAndGet(LOCKED);
        if (fails) {
            throw new IllegalArgumentException();
        }
    }

    /** Its first instruction is where the loop goes back to. */
    static int loops(int n) {
        while (n > 0) {
            n = n - 1;
        }
        COUNTS.incrementAndGet(LOOPS);
        return n;
    }

    interface Named {
        default String name() {
            COUNTS.incrementAndGet(NAME);
            return getClass().getSimpleName();
        }
    }

    abstract static class Shape implements Named {
        final int size;

        Shape(int size) {
            COUNTS.incrementAndGet(SHAPE);
            this.size = size;
        }

        abstract int area();
    }

    static class Circle extends Shape {
        Circle(int size) {
            super(new int[] {square(size), 0}.length > 1 && size > 2 ? square(size) : new Integer[1].length);
            COUNTS.incrementAndGet(CIRCLE);
        }

        @Override
        int area() {
            COUNTS.incrementAndGet(AREA);
            return 3 * size;
        }
    }

    /** A constructor that is left before the one above it is called. */
    static class Failing extends Shape {
        Failing(int size) {
            super(check(size));
        }

        @Override
        int area() {
            return 0;
        }

        static int check(int size) {
            COUNTS.incrementAndGet(CHECK);
            COUNTS.incrementAndGet(FAILING);    // which calls it before all else
            if (size < 0) {
                throw new IllegalArgumentException("size");
            }
            return size;
        }
    }

    static class Lazy {
        static final int VALUE;

        static {
            COUNTS.incrementAndGet(LAZY);
            VALUE = square(7);
        }

        static int touch() {
            COUNTS.incrementAndGet(TOUCH);
            return VALUE;
        }
    }

    static class Bridge implements Comparable<Bridge> {
        @Override
        public int compareTo(Bridge other) {
            COUNTS.addAndGet(BRIDGE, 2);    // it, and the compiler's compareTo(Object)
            return 0;
        }
    }

    public static class Foreign implements Runnable {
        public Foreign() {
            // The class is there twice; the first one counts.
            count(FOREIGN);
        }

        @Override
        public void run() {
            count(RUN);
        }

        private static void count(int at) {
            System.getProperties().merge("known." + at, 1, (a, b) -> (Integer) a + (Integer) b);
        }
    }

    /** Knows no class of others but those of java.*. */
    static class Closed extends ClassLoader {
        Closed() {
            super(null);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            COUNTS.incrementAndGet(FIND);    // what is looked for depends on the version of Java
            String path = name.replace('.', '/') + ".class";
            try (InputStream in = Known.class.getClassLoader().getResourceAsStream(path)) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                for (int one = in.read(); one >= 0; one = in.read()) {
                    out.write(one);
                }
                return defineClass(name, out.toByteArray(), 0, out.size());
            } catch (IOException failure) {
                throw new ClassNotFoundException(name, failure);
            }
        }
    }

    static void work(int rounds) {
        COUNTS.incrementAndGet(WORK);
        for (int i = 0; i < rounds; i++) {
            IntUnaryOperator lambda = n -> square(n);
            lambda.applyAsInt(i);
            IntUnaryOperator reference = Known::square;
            reference.applyAsInt(i);
            new Circle(i).area();
            new Circle(i).name();
            catcher(i % 5);
            try {
                locked(i % 3 == 0);
            } catch (IllegalArgumentException expected) {
                square(0);
            }
            try {
                new Failing(i % 2 == 0 ? 1 : -1);
            } catch (IllegalArgumentException expected) {
                square(0);
            }
            try {
                rethrow();
            } catch (IOException expected) {
                square(0);
            }
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static void all() throws Exception {
        fib(15);
        work(20);
        Lazy.touch();
        loops(5);
        ((Comparable) new Bridge()).compareTo(new Bridge());
        for (ClassLoader loader : new ClassLoader[] {Known.class.getClassLoader(), new Closed()}) {
            ((Runnable) loader.loadClass("Known$Foreign").getDeclaredConstructor().newInstance()).run();
        }
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> work(10), "a worker with a long name " + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Thread stack = new Thread(null, () -> {
            try {
                deep();
            } catch (StackOverflowError expected) {
                square(0);
            }
        }, "deep", 1 << 19);
        stack.start();
        stack.join();
    }

    static void print() {
        for (int i = 0; i < NAMES.length; i++) {
            long count = i == DEEP ? depth : i == FOREIGN || i == RUN ? Integer.getInteger("known." + i, 0) : COUNTS.get(i);
            Object foreign = System.getProperties().get("known." + i);
            System.out.println(NAMES[i] + " " + (foreign instanceof Integer ? (Integer) foreign : count));
        }
    }

    public static void main(String[] arguments) throws Exception {
        all();
        print();
        System.exit(arguments.length > 0 ? 3 : 0);
    }
}
