package traceview.jvm;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.AdviceAdapter;

/**
 * Gives methods calls into the recorder: at their begin, before each return, in a handler for what
 * they throw, and where they catch something themselves. The recorder's library calls it for each class that is loaded while a recording
 * by rewriting is under way.
 */
final class Rewriter {
    private static final int API = newestApi();
    /** What the methods call. It is in java.lang, since every class of every loader sees that. */
    private static final String CALLS = "java/lang/TraceviewCalls";
    private static final String[] CALLS_METHODS = {"enter", "leave", "unwind", "caught", "unpark"};
    private static final String CALLS_SIGNATURE = "(I)V";
    private static final String PARK = "park";
    private static final String PARK_SIGNATURE = "(Ljava/lang/Object;)V";
    /** Its methods tell what parks a thread, where that is wanted. */
    private static final String PARKS = "java/util/concurrent/locks/LockSupport";
    /** Where a class file has its version: the minor number, and the major one. */
    private static final int VERSION = 4;
    private static final int MAJOR = 6;
    private static final int VERSION_LENGTH = 4;
    /** The newest major number that ASM 9.4 reads, of Java 20. */
    private static final int NEWEST = 64;

    private Rewriter() {
    }

    /** What a copy of ASM calls its newest: those inside of JDKs do not all have 9. */
    private static int newestApi() {
        try {
            return Opcodes.class.getField("ASM9").getInt(null);
        } catch (ReflectiveOperationException older) {
            return Opcodes.ASM8;
        }
    }

    /** The recorder's number of a method; 0 when it has no memory. */
    private static native int number(String className, String name, String signature, String file, int line);

    /** A method is skipped as trivial, and counted. */
    private static native void skip();

    /** A method is not recorded, since it would be too large for the virtual machine. */
    private static native void leaveOut(String className, String name);

    /** The class file of CALLS. */
    static byte[] calls() {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V1_5, Opcodes.ACC_PUBLIC | Opcodes.ACC_FINAL | Opcodes.ACC_SUPER, CALLS, null,
                "java/lang/Object", null);
        for (String name : CALLS_METHODS) {
            writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC | Opcodes.ACC_NATIVE, name,
                    CALLS_SIGNATURE, null, null).visitEnd();
        }
        writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC | Opcodes.ACC_NATIVE, PARK, PARK_SIGNATURE, null, null)
                .visitEnd();
        addMeasure(writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "measure", CALLS_SIGNATURE, null, null));
        writer.visitEnd();
        return writer.toByteArray();
    }

    /** Calls enter and leave as often as it is told. */
    private static void addMeasure(MethodVisitor code) {
        Label again = new Label();
        Label end = new Label();
        code.visitCode();
        code.visitLabel(again);
        code.visitVarInsn(Opcodes.ILOAD, 0);
        code.visitJumpInsn(Opcodes.IFLE, end);
        for (String name : new String[] {"enter", "leave"}) {
            code.visitInsn(Opcodes.ICONST_0);
            code.visitMethodInsn(Opcodes.INVOKESTATIC, CALLS, name, CALLS_SIGNATURE, false);
        }
        code.visitIincInsn(0, -1);
        code.visitJumpInsn(Opcodes.GOTO, again);
        code.visitLabel(end);
        code.visitInsn(Opcodes.RETURN);
        code.visitMaxs(1, 1);
        code.visitEnd();
    }

    /** Its method is native: by way of it the recorder's library gives CALLS its native methods. */
    private static final class Binding implements Runnable {
        @Override
        public native void run();
    }

    /** A class with the calls; null when it has to stay as it is. */
    static byte[] rewrite(byte[] bytes, boolean skipsTrivial, boolean hasWaits) {
        Set<String> tooLarge = new HashSet<>();
        while (true) {
            try {
                return rewriteBut(tooLarge, bytes, skipsTrivial, hasWaits);
            } catch (MethodTooLargeException failure) {
                if (!tooLarge.add(failure.getMethodName() + failure.getDescriptor())) {
                    return null;
                }
                leaveOut(failure.getClassName(), failure.getMethodName());
            } catch (RuntimeException failure) {
                return null; // a class file that ASM does not understand
            }
        }
    }

    /** A class with the calls, but in methods that would be too large with them. */
    private static byte[] rewriteBut(Set<String> tooLarge, byte[] bytes, boolean skipsTrivial, boolean hasWaits) {
        ClassReader reader = new ClassReader(readable(bytes));
        Facts facts = new Facts(reader);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        Rewritten rewritten = new Rewritten(writer, facts, skipsTrivial, tooLarge);
        reader.accept(hasWaits && facts.className.equals(PARKS) ? new Parks(writer) : rewritten, ClassReader.EXPAND_FRAMES);
        byte[] made = writer.toByteArray();
        System.arraycopy(bytes, VERSION, made, VERSION, VERSION_LENGTH);
        for (int i = 0; i < rewritten.skipped; i++) {
            skip();
        }
        return made;
    }

    /**
     * A class file with a version that ASM reads. Files that are newer than ASM are the same in all that is read here, so
     * far as the versions go that there are (Java 25).
     */
    private static byte[] readable(byte[] bytes) {
        int major = (bytes[MAJOR] & 0xff) << 8 | bytes[MAJOR + 1] & 0xff;
        if (major <= NEWEST) {
            return bytes;
        }
        byte[] older = bytes.clone();
        older[MAJOR] = NEWEST >> 8;
        older[MAJOR + 1] = (byte) NEWEST;
        return older;
    }

    /** What is to be known of a class before it is rewritten. */
    private static final class Facts extends ClassVisitor {
        String className;
        String superName;
        String file;
        boolean hasFrames;
        /** By name and signature: the first line, and how often a constructor calls another one for its object. */
        final Map<String, int[]> ofMethods = new HashMap<>();

        private static final int LINE = 0;
        private static final int CONSTRUCTIONS = 1;
        private static final int INSTRUCTIONS = 2;
        /** What takes time that nobody knows: a call, a loop, a new object, a monitor, an exception. */
        private static final int OF_UNKNOWN_TIME = 3;
        private static final int FACTS = 4;
        /** A method of more is not trivial. */
        private static final int TRIVIAL_MOST = 12;

        Facts(ClassReader reader) {
            super(API);
            reader.accept(this, ClassReader.SKIP_FRAMES);
        }

        int line(String name, String signature) {
            return ofMethods.get(name + signature)[LINE];
        }

        boolean constructsOnce(String name, String signature) {
            return ofMethods.get(name + signature)[CONSTRUCTIONS] == 1;
        }

        /** Whether a method does next to nothing, as one that returns a field: recording it would take longer than it does. */
        boolean isTrivial(int access, String name, String signature) {
            int[] facts = ofMethods.get(name + signature);
            return (access & Opcodes.ACC_SYNCHRONIZED) == 0 && !name.equals("<clinit>") && facts[OF_UNKNOWN_TIME] == 0
                    && facts[INSTRUCTIONS] <= TRIVIAL_MOST;
        }

        @Override
        public void visit(int version, int access, String name, String signature, String above, String[] interfaces) {
            className = name;
            superName = above;
            hasFrames = (version & 0xffff) >= Opcodes.V1_6;
        }

        @Override
        public void visitSource(String source, String debug) {
            file = source;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String signature, String generic, String[] thrown) {
            int[] facts = new int[FACTS];
            Set<Label> seen = new HashSet<>();
            ofMethods.put(name + signature, facts);
            return new MethodVisitor(API) {
                @Override
                public void visitLabel(Label label) {
                    seen.add(label);
                }

                @Override
                public void visitInsn(int opcode) {
                    facts[INSTRUCTIONS]++;
                    if (opcode == Opcodes.ATHROW || opcode == Opcodes.MONITORENTER) {
                        facts[OF_UNKNOWN_TIME]++;
                    }
                }

                @Override
                public void visitIntInsn(int opcode, int operand) {
                    facts[INSTRUCTIONS]++;
                    if (opcode == Opcodes.NEWARRAY) {
                        facts[OF_UNKNOWN_TIME]++;
                    }
                }

                @Override
                public void visitVarInsn(int opcode, int variable) {
                    facts[INSTRUCTIONS]++;
                }

                @Override
                public void visitFieldInsn(int opcode, String owner, String field, String type) {
                    facts[INSTRUCTIONS]++;
                }

                @Override
                public void visitLdcInsn(Object value) {
                    facts[INSTRUCTIONS]++;
                }

                @Override
                public void visitIincInsn(int variable, int by) {
                    facts[INSTRUCTIONS]++;
                }

                @Override
                public void visitJumpInsn(int opcode, Label to) {
                    facts[INSTRUCTIONS]++;
                    if (seen.contains(to)) {
                        facts[OF_UNKNOWN_TIME]++;
                    }
                }

                @Override
                public void visitTableSwitchInsn(int least, int most, Label otherwise, Label... labels) {
                    facts[OF_UNKNOWN_TIME]++;
                }

                @Override
                public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
                    facts[OF_UNKNOWN_TIME]++;
                }

                @Override
                public void visitInvokeDynamicInsn(String called, String calledSignature, Handle bootstrap, Object... arguments) {
                    facts[OF_UNKNOWN_TIME]++;
                }

                @Override
                public void visitMultiANewArrayInsn(String type, int dimensions) {
                    facts[OF_UNKNOWN_TIME]++;
                }

                @Override
                public void visitTryCatchBlock(Label from, Label to, Label handler, String type) {
                    facts[OF_UNKNOWN_TIME]++;
                }

                @Override
                public void visitLineNumber(int line, Label start) {
                    if (facts[LINE] == 0) {
                        facts[LINE] = line;
                    }
                }

                @Override
                public void visitTypeInsn(int opcode, String type) {
                    facts[INSTRUCTIONS]++;
                    if (opcode == Opcodes.NEW || opcode == Opcodes.ANEWARRAY) {
                        facts[OF_UNKNOWN_TIME]++;
                    }
                    if (opcode == Opcodes.NEW && isOfObject(type)) {
                        facts[CONSTRUCTIONS]--;
                    }
                }

                @Override
                public void visitMethodInsn(int opcode, String owner, String called, String calledSignature, boolean isInterface) {
                    facts[INSTRUCTIONS]++;
                    if (!owner.equals("java/lang/Object") || !called.equals("<init>")) {
                        facts[OF_UNKNOWN_TIME]++;
                    }
                    if (opcode == Opcodes.INVOKESPECIAL && called.equals("<init>") && isOfObject(owner)) {
                        facts[CONSTRUCTIONS]++;
                    }
                }
            };
        }

        private boolean isOfObject(String type) {
            return type.equals(className) || type.equals(superName);
        }
    }

    /** A class whose methods are rewritten. */
    private static final class Rewritten extends ClassVisitor {
        private final Facts facts;
        private final boolean skipsTrivial;
        private final Set<String> tooLarge;
        private int skipped;

        Rewritten(ClassVisitor next, Facts facts, boolean skipsTrivial, Set<String> tooLarge) {
            super(API, next);
            this.facts = facts;
            this.skipsTrivial = skipsTrivial;
            this.tooLarge = tooLarge;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String signature, String generic, String[] thrown) {
            MethodVisitor next = super.visitMethod(access, name, signature, generic, thrown);
            if (next == null || (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0
                    || tooLarge.contains(name + signature)) {
                return next;
            }
            if (skipsTrivial && facts.isTrivial(access, name, signature)) {
                skipped++;
                return next;
            }
            int number = number(facts.className, name, signature, facts.file, facts.line(name, signature));
            return number == 0 ? next : new RewrittenMethod(next, access, name, signature, facts, number);
        }
    }

    /** LockSupport: what parks tells for what object, and when the thread goes on. */
    private static final class Parks extends ClassVisitor {
        Parks(ClassVisitor next) {
            super(API, next);
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String signature, String generic, String[] thrown) {
            MethodVisitor next = super.visitMethod(access, name, signature, generic, thrown);
            if (next == null || !name.startsWith(PARK) || (access & Opcodes.ACC_STATIC) == 0) {
                return next;
            }
            return new AdviceAdapter(API, next, access, name, signature) {
                @Override
                protected void onMethodEnter() {
                    if (signature.startsWith("(Ljava/lang/Object;")) {
                        mv.visitVarInsn(Opcodes.ALOAD, 0);
                    } else {
                        mv.visitInsn(Opcodes.ACONST_NULL);
                    }
                    mv.visitMethodInsn(Opcodes.INVOKESTATIC, CALLS, PARK, PARK_SIGNATURE, false);
                }

                @Override
                protected void onMethodExit(int opcode) {
                    push(0);
                    mv.visitMethodInsn(Opcodes.INVOKESTATIC, CALLS, "unpark", CALLS_SIGNATURE, false);
                }
            };
        }
    }

    /**
     * A method with its calls. No handler may be around the call by which a constructor calls the one of the class above;
     * when that throws, the constructor is left without a call, and ended where somebody catches.
     */
    private static final class RewrittenMethod extends AdviceAdapter {
        private final Facts facts;
        private final int number;
        private final boolean isConstructor;
        private final boolean hasHandler;
        private final Label begin = new Label();
        private final Set<Label> ownHandlers = new HashSet<>();
        private boolean isAtHandler;

        RewrittenMethod(MethodVisitor next, int access, String name, String signature, Facts facts, int number) {
            super(API, next, access, name, signature);
            this.facts = facts;
            this.number = number;
            isConstructor = name.equals("<init>");
            hasHandler = !isConstructor || facts.constructsOnce(name, signature);
        }

        private void call(String name) {
            push(number);
            mv.visitMethodInsn(Opcodes.INVOKESTATIC, CALLS, name, CALLS_SIGNATURE, false);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (isConstructor) {
                call("enter");
            }
        }

        /** In a constructor, behind the call of the one of the class above. */
        @Override
        protected void onMethodEnter() {
            if (!isConstructor) {
                call("enter");
            }
            mv.visitLabel(begin);
        }

        @Override
        protected void onMethodExit(int opcode) {
            if (opcode != Opcodes.ATHROW) {
                call("leave");
            }
        }

        @Override
        public void visitTryCatchBlock(Label from, Label to, Label handler, String type) {
            super.visitTryCatchBlock(from, to, handler, type);
            ownHandlers.add(handler);
        }

        @Override
        public void visitLabel(Label label) {
            super.visitLabel(label);
            isAtHandler |= ownHandlers.contains(label);
            if (!facts.hasFrames) {
                beginHandler();
            }
        }

        /** A handler begins with a label, and with a frame where there are any. */
        @Override
        public void visitFrame(int type, int localCount, Object[] locals, int stackCount, Object[] stack) {
            super.visitFrame(type, localCount, locals, stackCount, stack);
            beginHandler();
        }

        private void beginHandler() {
            if (isAtHandler) {
                isAtHandler = false;
                call("caught");
            }
        }

        /** The handler is the last in the table, so that it gets what the method's own ones leave. */
        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            if (hasHandler) {
                Label end = new Label();
                mv.visitLabel(end);
                mv.visitTryCatchBlock(begin, end, end, null);
                if (facts.hasFrames) {
                    mv.visitFrame(Opcodes.F_NEW, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"});
                }
                call("unwind");
                mv.visitInsn(Opcodes.ATHROW);
            }
            super.visitMaxs(maxStack, maxLocals);
        }
    }
}
