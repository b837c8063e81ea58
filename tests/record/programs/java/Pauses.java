/** Has the collector work. */
public class Pauses {
    static byte[] kept;

    public static void main(String[] arguments) {
        for (int i = 0; i < 3; i++) {
            kept = new byte[1 << 20];
            System.gc();
        }
        if (arguments.length > 0) {
            Runtime.getRuntime().halt(3);
        }
    }
}
