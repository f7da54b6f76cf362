// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Packages of the core form no cycle, and use of the front door what is plain.
@Tag("once")
class RoomsTest {
  private static final String HOUSE = "dev.heddle";

  private static final JavaClasses CORE =
      new ClassFileImporter().importPath(Path.of(System.getProperty("heddle.classes")));

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
}
