package traceview;

import java.io.File;
import java.net.URISyntaxException;
import java.security.CodeSource;

/**
 * Method tracing as {@code android.os.Debug} has it, for any Java virtual machine. A program that
 * calls it needs this jar, and {@code libtraceview-jvm.so} beside it or in {@code java.library.path}.
 *
 * <p>What is traced is every class that the boot loader did not load; the property
 * {@code traceview.options}, such as {@code only=com.example}, tells otherwise, as do the options of
 * the agent where the program was started with it.
 */
public final class Debug {
    /** A flag that Android has, and that changes nothing here: allocations are not counted. */
    public static final int TRACE_COUNT_ALLOCS = 1;
    /** A flag for wall time; with neither clock's flag, or both, both are kept. */
    public static final int TRACE_WALL_CLOCK = 0x010;
    /** A flag for the CPU time of threads. */
    public static final int TRACE_THREAD_CPU_CLOCK = 0x100;

    /** Packets, and streaming: TV_TRACE_PACKETS and TV_TRACE_STREAMING of the C API. */
    private static final int FORMAT_FLAGS = 0x10002;
    private static final int KNOWN_FLAGS = TRACE_COUNT_ALLOCS | TRACE_WALL_CLOCK | TRACE_THREAD_CPU_CLOCK | FORMAT_FLAGS;
    private static final String LIBRARY = "traceview-jvm";

    static {
        load();
    }

    private Debug() {
    }

    /** Starts tracing into {@code dmtrace.trace}. */
    public static void startMethodTracing() {
        startMethodTracing(null, 0, 0);
    }

    /** Starts tracing into a file; {@code .trace} is appended where it is missing. */
    public static void startMethodTracing(String tracePath) {
        startMethodTracing(tracePath, 0, 0);
    }

    /** Starts tracing with a buffer of this many bytes; 0 is 8 MiB. When it is full, tracing stops. */
    public static void startMethodTracing(String tracePath, int bufferSize) {
        startMethodTracing(tracePath, bufferSize, 0);
    }

    /** Starts tracing with flags. */
    public static void startMethodTracing(String tracePath, int bufferSize, int flags) {
        if ((flags & ~KNOWN_FLAGS) != 0) {
            throw new IllegalArgumentException("Unknown flags for tracing: 0x" + Integer.toHexString(flags));
        }
        start(System.getProperty("traceview.options"), tracePath, bufferSize, flags, 0);
    }

    /** Starts to look at the stacks of all threads at an interval in microseconds. */
    public static void startMethodTracingSampling(String tracePath, int bufferSize, int intervalUs) {
        if (intervalUs <= 0) {
            throw new IllegalArgumentException("The sampling interval must be positive");
        }
        start(System.getProperty("traceview.options"), tracePath, bufferSize, 0, intervalUs);
    }

    /** Stops tracing, and writes the file. */
    public static void stopMethodTracing() {
        stop();
    }

    private static void load() {
        CodeSource source = Debug.class.getProtectionDomain().getCodeSource();
        if (source != null) {
            try {
                File beside = new File(new File(source.getLocation().toURI()).getParentFile(), System.mapLibraryName(LIBRARY));
                if (beside.exists()) {
                    System.load(beside.getPath());
                    return;
                }
            } catch (URISyntaxException | IllegalArgumentException notInAFile) {
                // The search path may have it.
            }
        }
        System.loadLibrary(LIBRARY);
    }

    private static native void start(String options, String base, int bufferSize, int flags, int intervalUs);

    private static native void stop();
}
