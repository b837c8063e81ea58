/**
 * Methods that do next to nothing, and others that look like them: a call, a loop, a monitor, a new object, an exception.
 */
public class Trivial {
    private int size;
    private final int[] of = new int[100];

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    void resize(int to) {
        size = to;
    }

    static int one() {
        return 1;
    }

    int sum() {
        int sum = 0;
        for (int each : of) {
            sum += each;
        }
        return sum;
    }

    synchronized int locked() {
        return size;
    }

    Object make() {
        return new Object();
    }

    int called() {
        return size();
    }

    static void fail() {
        throw null;
    }

    public static void main(String[] words) {
        Trivial trivial = new Trivial();
        long sum = 0;
        for (int i = 0; i < 1000; i++) {
            trivial.resize(i);
            sum += trivial.size() + one() + trivial.sum() + trivial.locked() + trivial.called() + (trivial.isEmpty() ? 1 : 0);
            sum += trivial.make().hashCode() & 1;
            try {
                fail();
            } catch (NullPointerException expected) {
                sum++;
            }
        }
        if (sum == 0) {
            System.out.println(sum);
        }
    }
}
