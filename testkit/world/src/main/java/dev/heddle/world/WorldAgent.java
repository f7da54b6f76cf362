// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import dev.heddle.world.rewrite.AgentOptions;
import dev.heddle.world.rewrite.HookClasses;
import dev.heddle.world.rewrite.Rewriter;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The Java agent: `-javaagent:heddle-world.jar[=OPTION,...]`, or attached by [#install].
///
/// Options, as `name=value` with commas between them:
///
/// | option | values | meaning |
/// |---|---|---|
/// | `points` | `none` (default), `sync`, `memory` | where a coroutine may be preempted |
/// | `packages` | names with `:` between them, `*` for every program class | what gets points |
///
/// `sync` has points before monitors, volatile fields and calls into `java.util.concurrent`;
/// `memory` has them before every field and array element that is not final, too, and needs
/// `packages`. A package stands for its subpackages, too. `*` leaves out Heddle's own packages,
/// which can be named. Of the JDK only `java.util.concurrent` can be named. An option or value that
/// is not listed here is refused.
///
/// **Thread** any.
public final class WorldAgent {
  /*
   * States.
   *   from       event                               to         who, order
   *   ABSENT     premain, agentmain, install         INSTALLED  define the hook, probe the hash
   *                                                             codes, add the rewriter,
   *                                                             retransform, publish
   *   ABSENT     the same, and something is missing  ABSENT     take the rewriter away, retransform
   *                                                             again; throw with the reason
   *   INSTALLED  install with the same options       INSTALLED  nothing
   *   INSTALLED  with other options                  INSTALLED  throws: classes are rewritten once
   *
   * The hook lives in java.lang (package java.base), for two reasons: every class of every loader
   * can call it, and it reaches what is package-private in Thread. It comes there without a flag:
   * the agent lets java.base open java.lang to itself (Instrumentation.redefineModule) and defines
   * the classes by a lookup in Thread. Nothing else of the JVM is opened.
   *
   * Classes that keep the common pool in a static field are initialised before any world can do it:
   * they would keep that world's pool.
   *
   * Rejected. --patch-module, a boot class path, --add-opens: flags that every user must give, and
   * the first is tied to one build of the JDK.
   */
  private static final List<String> INITIALISED_EARLY =
      List.of(
          "java.lang.HeddleInternals", // finds the private parts of threads, or names what is
          // missing
          "java.lang.HeddleNames", // the same for names of hosts
          "java.lang.VirtualThread", // starts the JVM's unblocker, which is part of no world
          "java.util.concurrent.CompletableFuture",
          "java.util.concurrent.SubmissionPublisher");

  private static final int WRONG_OPTIONS = 1; // exit status of the JVM

  private static final class Installed {
    private static volatile @Nullable Installed current;

    private final AgentOptions options;
    private final Rewriter rewriter;

    private Installed(AgentOptions options, Rewriter rewriter) {
      this.options = options;
      this.rewriter = rewriter;
    }
  }

  // Not the monitor of the class: install() holds that while the agent starts on a thread of the
  // JVM.
  private static final Object STARTING = new Object();

  private static boolean hookIsDefined; // guarded by STARTING

  private WorldAgent() {}

  /// Called by the JVM for `-javaagent`.
  public static void premain(@Nullable String options, Instrumentation jvm) {
    AgentOptions parsed;
    try {
      parsed = AgentOptions.parse(options);
    } catch (IllegalArgumentException e) {
      // thrown, it would end the JVM, too, below a stack of reflection and with a core dump
      System.err.println("-javaagent:heddle-world.jar=" + options + ": " + e.getMessage());
      Runtime.getRuntime().halt(WRONG_OPTIONS);
      return;
    }
    start(parsed, jvm);
  }

  /// Called by the JVM when the agent is attached.
  public static void agentmain(@Nullable String options, Instrumentation jvm) {
    start(AgentOptions.parse(options), jvm);
  }

  /// Whether this JVM has the agent.
  public static boolean isInstalled() {
    return Installed.current != null;
  }

  /// The options it was started with, in full: `points=sync,packages=*`.
  ///
  /// @throws IllegalStateException when it is not installed
  public static String options() {
    return installed().options.toString();
  }

  /// The classes that were loaded after the start and could not be rewritten, by name and reason: a
  /// simulation that runs them is not what it says.
  ///
  /// @throws IllegalStateException when it is not installed
  public static List<String> problems() {
    return installed().rewriter.problems();
  }

  /// Whether the options want preemption points, and no class that they name was loaded since the
  /// start.
  ///
  /// @throws IllegalStateException when it is not installed
  public static boolean lacksPoints() {
    Installed now = installed();
    return now.options.points() != AgentOptions.Points.NONE && !now.rewriter.hasPoints();
  }

  /// The number of classes that the JVM has initialised. A run during which it grows has taken
  /// another course than the next one with the same seed: initialisers draw random numbers, and
  /// keep what they have found.
  ///
  /// @throws IllegalStateException when the agent is not installed, or the JVM does not count
  public static long initialisedClasses() {
    installed();
    return ClassInitialisations.count();
  }

  /// The number of classes that were loaded since the start, by name: one that several loaders have
  /// defined counts once, and hidden ones do not count.
  ///
  /// @throws IllegalStateException when it is not installed
  public static int loadedClasses() {
    return installed().rewriter.loadedNames();
  }

  private static Installed installed() {
    Installed now = Installed.current;
    if (now == null) {
      throw new IllegalStateException("the agent of heddle-world is not installed in this JVM");
    }
    return now;
  }

  /// Installs the agent in the running JVM, unless it is there; a line on standard error says so. A
  /// helper JVM attaches it, which takes about a second.
  ///
  /// @param options as for `-javaagent`
  /// @throws IllegalArgumentException when an option is wrong
  /// @throws IllegalStateException when this JVM does not allow it, or has the agent with other
  ///   options; the message says what to do
  public static synchronized void install(String options) {
    AgentOptions wanted = AgentOptions.parse(options);
    Installed now = Installed.current;
    if (now == null) {
      SelfAttach.attach(options);
      now = installed();
    }
    if (!now.options.equals(wanted)) {
      throw new IllegalStateException(
          "the agent of heddle-world is installed with "
              + now.options
              + " and cannot be installed again with "
              + wanted
              + "; start Java with -javaagent:heddle-world.jar="
              + wanted);
    }
  }

  private static void start(AgentOptions options, Instrumentation jvm) {
    synchronized (STARTING) {
      Installed now = Installed.current;
      if (now != null) {
        throw new IllegalStateException(
            "the agent of heddle-world is installed already, with " + now.options);
      }
      Rewriter rewriter = new Rewriter(options);
      prepare(rewriter, jvm);
      rewrite(rewriter, jvm);
      Installed.current = new Installed(options, rewriter);
    }
  }

  private static void prepare(Rewriter rewriter, Instrumentation jvm) {
    defineHook(jvm);
    ClassInitialisations.open(jvm);
    for (String name : INITIALISED_EARLY) {
      load(name, true);
    }
    HashCodeProbe.check();
    // loaded now, so that a place that this JDK lacks is missed now
    rewriter.required().forEach(name -> load(name, false));
  }

  private static void load(String name, boolean initialise) {
    try {
      Class.forName(name, initialise, null);
    } catch (ClassNotFoundException | LinkageError e) {
      Throwable reason = e.getCause() == null ? e : e.getCause();
      throw new IllegalStateException(
          "this JDK (" + Runtime.version() + ") has no place for edits of " + name + ": " + reason,
          e);
    }
  }

  private static void defineHook(Instrumentation jvm) {
    if (hookIsDefined) {
      return; // a start that failed before
    }
    Module self = WorldAgent.class.getModule();
    jvm.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of(),
        Map.of("java.lang", Set.of(self)),
        Set.of(),
        Map.of());
    try {
      MethodHandles.Lookup lookup =
          MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup());
      for (String name : HookClasses.NAMES) {
        lookup.defineClass(HookClasses.bytes(name));
      }
      hookIsDefined = true;
    } catch (IllegalAccessException | LinkageError e) {
      throw new IllegalStateException(
          "this JDK (" + Runtime.version() + ") does not take the hook of heddle-world", e);
    }
  }

  private static void rewrite(Rewriter rewriter, Instrumentation jvm) {
    jvm.addTransformer(rewriter, true);
    List<Class<?>> due = new ArrayList<>();
    for (Class<?> loaded : jvm.getAllLoadedClasses()) {
      if (jvm.isModifiableClass(loaded) && rewriter.isDue(loaded)) {
        due.add(loaded);
      }
    }
    retransform(due, jvm);
    List<String> problems = rewriter.problems();
    if (!problems.isEmpty()) {
      jvm.removeTransformer(rewriter);
      retransform(due, jvm);
      throw new IllegalStateException(String.join("; ", problems));
    }
  }

  private static void retransform(List<Class<?>> classes, Instrumentation jvm) {
    try {
      jvm.retransformClasses(classes.toArray(new Class<?>[0]));
    } catch (UnmodifiableClassException e) {
      throw new IllegalStateException(e); // each was asked before
    }
  }
}
