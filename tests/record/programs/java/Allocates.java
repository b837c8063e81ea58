import java.util.ArrayList;
import java.util.List;

/** Allocates a known number of bytes in two methods: small objects and large ones. */
public class Allocates {
    static final List<Object> KEPT = new ArrayList<>();
    static int sum;

    /** 64 MB in objects of 1,000 bytes. */
    static void small() {
        for (int i = 0; i < 64_000; i++) {
            sum += new byte[984].length;
        }
    }

    /** 32 MB in objects of 1 MB. */
    static void large() {
        for (int i = 0; i < 32; i++) {
            sum += new byte[1_000_000 - 16].length;
        }
    }

    static void both(int depth) {
        if (depth > 0) {
            both(depth - 1);
            return;
        }
        small();
        large();
    }

    public static void main(String[] arguments) {
        both(3);
        System.out.println(sum);
    }
}
