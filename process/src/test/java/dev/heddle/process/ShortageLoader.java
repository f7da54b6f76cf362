// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.net.URL;
import java.util.Set;

/// Defines the classes of this project once more, such that those of the process module call
/// [Shortage#allocate] before they allocate, themselves or in a collection of the JDK's, or before
/// what the loops of their threads call: production code needs no hook. The JVM links the access to
/// a variable by its handle when it is reached first, which takes memory: so those that decide and
/// tell an end count as allocations too.
final class ShortageLoader extends ClassLoader {
  private static final String ROOT = "dev.heddle.";
  private static final Set<String> ALLOCATES =
      Set.of(
          "add",
          "addLast",
          "complete",
          "completeExceptionally",
          "computeIfAbsent",
          "copyOf",
          "entrySet",
          "iterator",
          "keySet",
          "of",
          "put",
          "putIfAbsent",
          "toList",
          "values");
  private static final ClassDesc SHORTAGE = ClassDesc.of(Shortage.class.getName());
  private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(ConstantDescs.CD_void);

  // what a thread calls while no task is in its hands
  private static final Set<String> LOOPS = Set.of("runOnce", "park", "sleepUntilWoken");
  static final Set<String> CALLS =
      Set.of(
          "next",
          "search",
          "startSearching",
          "park",
          "hasWork",
          "check",
          "sleepUntilWoken",
          "awakeCount");

  // what is compiled into the loop of a worker
  private static final Set<String> INLINED =
      Set.of("step", "run", "runSteps", "complete", "runOnce");
  private static final Set<String> INLINED_OF = Set.of("ProcessInstance", "Task", "Worker");

  /// What fails.
  enum Mode {
    /// allocations
    ALLOCATIONS,
    /// allocations, and no catch block below the loop of a worker sees that: where the JVM cannot
    /// make objects again that compiled code has done without, it passes them all
    UNCAUGHT,
    /// allocations of the deques: those of longer arrays
    DEQUES,
    /// calls under the lock of a mailbox that drops the oldest message
    LANES,
    /// calls in the loops of the runtime's threads
    LOOPS
  }

  private final Mode mode;
  private final Set<String> calls;

  ShortageLoader(Mode mode) {
    this(mode, CALLS);
  }

  /// A loader in which only calls of these names fail.
  static ShortageLoader ofCalls(String... names) {
    return new ShortageLoader(Mode.LOOPS, Set.of(names));
  }

  /// A loader in which a thread that appends to a mailbox calls the hook under its lock.
  static ShortageLoader ofLanes() {
    return new ShortageLoader(Mode.LANES, Set.of("append"));
  }

  private ShortageLoader(Mode mode, Set<String> calls) {
    super("shortage", ShortageLoader.class.getClassLoader());
    this.mode = mode;
    this.calls = calls;
  }

  private static String resource(String name) {
    return name.replace('.', '/') + ".class";
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(ROOT)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      return known != null ? known : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    URL url = getParent().getResource(resource(name));
    if (url == null) {
      throw new ClassNotFoundException(name);
    }
    try (InputStream in = url.openStream()) {
      byte[] bytes = in.readAllBytes();
      byte[] made = fails(name) ? transformed(bytes, name) : bytes;
      return defineClass(name, made, 0, made.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private boolean fails(String name) {
    return name.startsWith(ROOT + "process.")
        && (mode != Mode.DEQUES || name.endsWith(".WorkDeque"))
        && (mode != Mode.LANES || name.endsWith(".DropOldestLane"))
        && !name.startsWith(ROOT + "process.Shortage")
        && !name.startsWith(ROOT + "process.Kit");
  }

  private byte[] transformed(byte[] bytes, String name) {
    // without handlers some variables are never there: what describes them is left out
    // the default resolver knows the classes of the system's loader only
    ClassFile format =
        ClassFile.of(
            ClassFile.DebugElementsOption.DROP_DEBUG,
            ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(ShortageLoader.class.getClassLoader())));
    boolean links = name.endsWith("instance.ProcessLifecycle");
    ClassTransform fails =
        ClassTransform.transformingMethodBodies(
            mode == Mode.LOOPS ? ShortageLoader::isLoop : ShortageLoader::runsAfterTheStart,
            (code, element) -> {
              boolean lacks =
                  (mode == Mode.LOOPS || mode == Mode.LANES)
                      ? isCall(element)
                      : allocates(element) || (links && links(element));
              if (lacks) {
                code.invokestatic(SHORTAGE, "allocate", NOTHING);
              }
              code.with(element);
            });
    boolean isInlined = INLINED_OF.contains(name.substring(name.lastIndexOf('.') + 1));
    return format.transformClass(
        format.parse(bytes),
        mode == Mode.UNCAUGHT && isInlined ? fails.andThen(catchesNothing()) : fails);
  }

  private static ClassTransform catchesNothing() {
    return ClassTransform.transformingMethodBodies(
        method -> INLINED.contains(method.methodName().stringValue()),
        (code, element) -> {
          if (!(element instanceof ExceptionCatch)) {
            code.with(element);
          }
        });
  }

  /// A class whose initialisation fails is lost for good: what a runtime needs it has initialised
  /// when it has started.
  private static boolean runsAfterTheStart(MethodModel method) {
    return !method.methodName().equalsString(ConstantDescs.CLASS_INIT_NAME);
  }

  private static boolean isLoop(MethodModel method) {
    return LOOPS.contains(method.methodName().stringValue());
  }

  private boolean isCall(CodeElement element) {
    return element instanceof InvokeInstruction call && calls.contains(call.name().stringValue());
  }

  private static boolean links(CodeElement element) {
    return element instanceof InvokeInstruction call
        && call.owner().asInternalName().equals("java/lang/invoke/VarHandle");
  }

  private static boolean allocates(CodeElement element) {
    return switch (element) {
      case NewObjectInstruction _,
          NewPrimitiveArrayInstruction _,
          NewReferenceArrayInstruction _,
          NewMultiArrayInstruction _,
          InvokeDynamicInstruction _ ->
          true;
      case InvokeInstruction call ->
          call.owner().asInternalName().startsWith("java/util/")
              && !call.owner().asInternalName().startsWith("java/util/concurrent/atomic")
              && ALLOCATES.contains(call.name().stringValue());
      default -> false;
    };
  }
}
