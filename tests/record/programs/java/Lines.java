/** A loop that takes as long as three of the same work, in two lines each; and a call whose line is known: Lines ROUNDS. */
public class Lines {
    static volatile long a, b;

    static void work(int n) {
        for (int i = 0; i < n; i++) {
            a = a * 3 + 1;    // line 7
        }
        for (int i = 0; i < 3 * n; i++) {
            b = b * 3 + 1;    // line 10
        }
    }

    public static void main(String[] arguments) {
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            work(1000000);
        }
    }
}
