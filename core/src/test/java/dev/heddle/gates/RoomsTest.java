// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeModel;
import java.lang.classfile.instruction.MonitorInstruction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What no room of the core may contain, and that rooms form no cycle.
@Tag("once")
class RoomsTest {
  private static final String HOUSE = "dev.heddle";

  /// Classes outside the room of the log that print, and why they do no harm.
  private static final Map<String, String> PRINTERS =
      Map.of(
          "dev.heddle.coroutine.capture.StandardStreams",
          "puts a stream of its own in the place of the standard ones",
          "dev.heddle.coroutine.capture.OutputCaptures",
          "the same");

  /// Rooms whose code runs on the carrier or on a coroutine's stack for others: it takes no lock.
  private static final Set<String> LOOP_ROOMS =
      Set.of(
          "event",
          "event.source",
          "failure",
          "internal",
          "reactor",
          "scheduler",
          "scheduler.inbox",
          "scheduler.context",
          "coroutine",
          "coroutine.capture",
          "coroutine.tree",
          "loop",
          "loop.diagnostics",
          "sync");

  private static final String REPORTS =
      "what is known of a throwable stands beside it, and must outlive the loop that threw it";

  /// What may be static and change, and why.
  private static final Map<String, String> MUTABLE_STATICS =
      Map.of(
          "dev.heddle.loop.MainHandlers.ENTRIES",
          "main-start handlers, copied into each loop as it starts",
          "dev.heddle.failure.FailureTable.HEADS",
          REPORTS,
          "dev.heddle.failure.FailureTable.MERGED",
          REPORTS,
          "dev.heddle.failure.FailureTable.MERGES",
          REPORTS,
          "dev.heddle.event.source.ExportedFuture.OPEN",
          "failures that other threads may look at when the loop has ended",
          "dev.heddle.loop.diagnostics.Watchdog.WATCHED",
          "the registry of running loops",
          "dev.heddle.loop.JvmExit.LEFT_BEHIND",
          "coroutines that outlive their loops, and may hold what the JVM's exit waits for",
          "dev.heddle.observe.attach.Attachables.REGISTERED",
          "the registry of what observers may look at",
          "dev.heddle.observe.spi.DumpParts.RUNNING",
          "the registry of what runs beside them, for dumps",
          "dev.heddle.io.InheritedSockets.TAKEN",
          "numbers that belong to the process, and whose environment a JVM cannot unset");

  /// Classes outside the context room that may use reflection, and why.
  private static final Map<String, String> REFLECTION = Map.of();

  /// Classes of the loop's rooms that may hold a lock, and why no coroutine can hold it while the
  /// carrier wants it.
  private static final Map<String, String> LOCKS =
      Map.of(
          "dev.heddle.loop.SignalDispatcher",
          "carriers take it with no coroutine mounted",
          "dev.heddle.coroutine.capture.StandardStreams",
          "coroutines take it, no carrier",
          "dev.heddle.event.source.ExportedFuture",
          "the entries of futures of the JDK: no tick completes one, and nothing waits inside",
          "dev.heddle.loop.diagnostics.AwaitedLock",
          "asks who holds a lock; takes none",
          "dev.heddle.scheduler.context.ForeignWaits",
          "asks what a thread waits for; takes none",
          "dev.heddle.scheduler.context.LockOwners",
          "asks who holds a lock; takes none");

  private static final Path CLASSES = Path.of(System.getProperty("heddle.classes"));

  private static final JavaClasses CORE = new ClassFileImporter().importPath(CLASSES);

  @Test
  void rooms_ofTheFrontDoor_useItsPlainTypesOnly() {
    classes().should(useOnlyPlainTypesOfTheFrontDoor()).check(CORE);
  }

  /// What a room uses stands in `docs/explanation/architecture.md`; see [ArchitecturePageTest],
  /// which reads names. This one reads class files: they also have what code uses without a name.
  ///
  /// `coroutine`, `coroutine.capture` and `coroutine.tree` are one floor, what users see and what
  /// it is made of; so are `event` and `event.source`, and `io`, `io.dns`, `io.handle` and
  /// `io.server`.
  @Test
  void rooms_together_formNoCycle() {
    var uses = new TreeMap<String, Set<String>>();
    for (JavaClass origin : CORE) {
      for (Dependency dependency : origin.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (isOurs(target) && !floor(origin).equals(floor(target))) {
          uses.computeIfAbsent(floor(origin), _ -> new TreeSet<>()).add(floor(target));
        }
      }
    }
    // The front door and the views look at everything and are used for values only.
    uses.keySet().removeAll(Set.of("", "observe"));
    while (uses.entrySet()
        .removeIf(room -> uses.keySet().stream().noneMatch(room.getValue()::contains))) {
      // a room that uses none of those left is below them all
    }
    assertThat(uses)
        .as("rooms that use each other in a circle: move what they share below them")
        .isEmpty();
  }

  private static String floor(JavaClass type) {
    String room = room(type);
    return switch (room) {
      case "coroutine.capture", "coroutine.tree" -> "coroutine";
      case "event.source" -> "event";
      case "io.dns", "io.handle", "io.server" -> "io";
      default -> room;
    };
  }

  @Test
  void names_ofTypes_areTheFieldsNouns() {
    noClasses()
        .should()
        .haveNameMatching(".*(Utils?|Helper|Manager|Impl|Base)|.*[.$]Abstract[A-Z]\\w*")
        .because("a name says what the thing is in the words of the field: rename it")
        .check(CORE);
  }

  @Test
  void reflection_outsideTheContextRoom_isNotUsed() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.heddle.scheduler.context..")
        .and(are("are not listed in REFLECTION", c -> !REFLECTION.containsKey(c.getName())))
        .should()
        .dependOnClassesThat(
            are("are reflective", c -> c.getPackageName().equals("java.lang.reflect")))
        .orShould()
        .accessTargetWhere(isReflectiveCall())
        .because(
            "only dev.heddle.scheduler.context touches the JDK's insides: ask it, or list the class"
                + " with a reason")
        .check(CORE);
  }

  @Test
  void statics_ofEveryClass_doNotChange() {
    fields()
        .that()
        .areStatic()
        .and(isNotGenerated())
        .should(neverChange())
        .because(
            "nothing static changes but the registry of running loops and the main-start handlers:"
                + " make it a field of the loop")
        .check(CORE);
  }

  /// A handler takes locks, waits and throws: on the carrier that stops the loop, or ends it.
  @Test
  @Tag("trap-42")
  void logging_outsideTheRoomOfTheLog_isNotDone() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.heddle.observe.log..")
        .and(are("are not listed in PRINTERS", c -> !PRINTERS.containsKey(outermost(c))))
        .should()
        .dependOnClassesThat(are("are loggers", RoomsTest::isLogger))
        .orShould()
        .callMethodWhere(isPrinting())
        .orShould()
        .accessField(System.class, "err")
        .orShould()
        .accessField(System.class, "out")
        .because(
            "a log handler may wait for a lock that a parked coroutine holds, and may throw: give"
                + " the line to dev.heddle.observe.log.AsyncLog, or to LoopRuntime.report and warn")
        .check(CORE);
  }

  private static boolean isLogger(JavaClass type) {
    return type.getName().startsWith("java.lang.System$Logger")
        || type.getPackageName().startsWith("java.util.logging");
  }

  private static DescribedPredicate<JavaAccess<?>> isPrinting() {
    return DescribedPredicate.describe(
        "prints a stack trace, or asks for a logger",
        access -> Set.of("printStackTrace", "getLogger", "dumpStack").contains(access.getName()));
  }

  @Test
  void locks_inTheLoopsRooms_areNotTaken() {
    noClasses()
        .that(are("stand in the loop's rooms", c -> LOOP_ROOMS.contains(room(c))))
        .and(are("are not listed in LOCKS", c -> !LOCKS.containsKey(outermost(c))))
        .should()
        .dependOnClassesThat(are("are locks", RoomsTest::isLock))
        .because(
            "a coroutine parked inside it would stop the carrier: use a lock-free handover, or list"
                + " the class with a reason")
        .check(CORE);
    methods()
        .that()
        .areDeclaredInClassesThat(
            are("stand in the loop's rooms", c -> LOOP_ROOMS.contains(room(c))))
        .should()
        .notHaveModifier(JavaModifier.SYNCHRONIZED)
        .check(CORE);
  }

  @Test
  void monitors_inTheLoopsRooms_areNotEntered() throws IOException {
    try (Stream<Path> files = Files.walk(CLASSES)) {
      assertThat(files.filter(RoomsTest::isLoopCode).filter(RoomsTest::entersMonitor))
          .as(
              "synchronized blocks in rooms of the loop: use a lock-free handover, or list the"
                  + " class in LOCKS")
          .isEmpty();
    }
  }

  private static boolean isLoopCode(Path file) {
    Path folder = CLASSES.relativize(file.getParent());
    String room =
        folder.toString().replace(File.separatorChar, '.').replaceFirst("^dev\\.heddle\\.?", "");
    String type = file.getFileName().toString().replaceAll("(\\$.*)?[.]class", "");
    return file.toString().endsWith(".class")
        && LOOP_ROOMS.contains(room)
        && !LOCKS.containsKey(HOUSE + '.' + room + '.' + type);
  }

  private static boolean entersMonitor(Path file) {
    try {
      return ClassFile.of().parse(file).methods().stream()
          .flatMap(method -> method.code().stream())
          .flatMap(CodeModel::elementStream)
          .anyMatch(MonitorInstruction.class::isInstance);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ArchCondition<JavaClass> useOnlyPlainTypesOfTheFrontDoor() {
    return new ArchCondition<>("use only plain types of the front door") {
      @Override
      public void check(JavaClass origin, ConditionEvents events) {
        for (Dependency dependency : origin.getDirectDependenciesFromSelf()) {
          JavaClass target = dependency.getTargetClass().getBaseComponentType();
          if (isOurs(target)
              && room(target).isEmpty()
              && !room(origin).isEmpty()
              && !isPlain(target)) {
            events.add(
                SimpleConditionEvent.violated(
                    origin,
                    "room '%s' may not use %s, which uses rooms itself: %s"
                        .formatted(room(origin), target.getName(), dependency.getDescription())));
          }
        }
      }
    };
  }

  /// A type at the front door that every room may use, because it uses no room itself but the views
  /// that an error carries.
  private static boolean isPlain(JavaClass type) {
    return type.getDirectDependenciesFromSelf().stream()
        .map(d -> d.getTargetClass().getBaseComponentType())
        .filter(RoomsTest::isOurs)
        .allMatch(target -> Set.of("", "observe").contains(room(target)));
  }

  private static boolean isOurs(JavaClass type) {
    return type.getPackageName().equals(HOUSE) || type.getPackageName().startsWith(HOUSE + ".");
  }

  /// The room's name, empty for the front door.
  private static String room(JavaClass type) {
    String name = type.getPackageName();
    return name.length() > HOUSE.length() ? name.substring(HOUSE.length() + 1) : "";
  }

  private static String outermost(JavaClass type) {
    return type.getName().replaceAll("\\$.*", "");
  }

  private static boolean isLock(JavaClass type) {
    String name = type.getName();
    boolean lock = name.startsWith("java.util.concurrent.locks.") && !name.endsWith(".LockSupport");
    return lock
        || Set.of("CountDownLatch", "Semaphore", "CyclicBarrier", "Phaser", "Exchanger").stream()
            .anyMatch(simple -> name.equals("java.util.concurrent." + simple))
        || name.matches("java\\.util\\.concurrent\\.(\\w*Blocking\\w*|ConcurrentHashMap)");
  }

  private static DescribedPredicate<JavaAccess<?>> isReflectiveCall() {
    Set<String> calls =
        Set.of(
            "privateLookupIn", "forName", "setAccessible", "getDeclaredField", "getDeclaredMethod");
    return DescribedPredicate.describe(
        "reflective calls " + calls,
        access ->
            access.getTargetOwner().getPackageName().startsWith("java.lang")
                && calls.contains(access.getName())
                && !access.getTargetOwner().getName().equals("java.lang.Module"));
  }

  private static DescribedPredicate<JavaField> isNotGenerated() {
    return DescribedPredicate.describe(
        "are written by hand",
        field ->
            !field.getModifiers().contains(JavaModifier.SYNTHETIC)
                && !field.getName().contains("$"));
  }

  private static ArchCondition<JavaField> neverChange() {
    return new ArchCondition<>("never change") {
      @Override
      public void check(JavaField field, ConditionEvents events) {
        boolean fixed = field.getModifiers().contains(JavaModifier.FINAL) && !holdsState(field);
        if (!fixed && !MUTABLE_STATICS.containsKey(field.getFullName())) {
          events.add(SimpleConditionEvent.violated(field, field.getFullName() + " can change"));
        }
      }
    };
  }

  private static boolean holdsState(JavaField field) {
    JavaClass type = field.getRawType();
    String name = type.getName();
    return name.matches("java\\.util\\.concurrent\\.(?!TimeUnit|Executor$).*")
        || name.matches("java\\.util\\.\\w*(Hash|Tree|Array|Linked)(Map|Set|List|Deque)")
        || name.equals("java.lang.ThreadLocal");
  }

  private static DescribedPredicate<JavaClass> are(String words, Predicate<JavaClass> test) {
    return DescribedPredicate.describe(words, test);
  }
}
