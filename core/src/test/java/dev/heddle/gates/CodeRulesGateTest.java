// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The rules of [CodeRulesTest] bite.
@Tag("once")
@SuppressWarnings("unused") // the classes with a fault are read from their class files
class CodeRulesGateTest {
  private static final String HERE = CodeRulesGateTest.class.getName();

  private static final JavaClasses NESTED =
      new ClassFileImporter().importClasses(CodeRulesGateTest.class.getDeclaredClasses());

  private static List<JavaClass> classes(Class<?>... types) {
    return Stream.of(types).map(NESTED::get).toList();
  }

  private static List<String> simpleNames(Set<String> fields) {
    return fields.stream().map(name -> name.substring(name.lastIndexOf('.') + 1)).toList();
  }

  private static final class Statics {
    static final Map<String, String> CACHE = new HashMap<>();
    static final Map<TimeUnit, String> NAMES = new EnumMap<>(TimeUnit.class);
    static final List<String> COPY = new ArrayList<>(List.of("a"));
    static final Set<String> SEEN = ConcurrentHashMap.newKeySet();
    static final int[] TABLE = {1, 2};
    static final ThreadLocal<String> LOCAL = new ThreadLocal<>();
    static int count;

    static final Map<String, String> MAP = Map.of("a", "b");
    static final List<String> LIST = List.copyOf(MAP.values());
    static final Set<String> VIEW = Collections.unmodifiableSet(MAP.keySet());
    static final List<String> MADE = Stream.of("a").toList();
    static final String[] NONE = {};
    static final String NAME = "a";
  }

  @Test
  void statics_thatCanChange_areFound() {
    assertThat(simpleNames(CodeRules.mutableStatics(classes(Statics.class))))
        .containsExactlyInAnyOrder("CACHE", "COPY", "LOCAL", "NAMES", "SEEN", "TABLE", "count");
  }

  private static final class LockHolder {
    final ReentrantLock lock = new ReentrantLock();
  }

  private static final class Block {
    int read() {
      synchronized (this) {
        return 1;
      }
    }
  }

  private static final class Synchronized {
    synchronized int read() {
      return 1;
    }
  }

  @Test
  void locks_ofAllKinds_areFound() {
    for (Class<?> type : List.of(LockHolder.class, Block.class, Synchronized.class)) {
      assertThat(CodeRules.locks(classes(type))).as(type.getName()).containsExactly(HERE);
    }
    assertThat(CodeRules.locks(classes(Statics.class, Printer.class))).containsExactly(HERE);
    assertThat(CodeRules.locks(classes(Printer.class, Logger.class))).isEmpty();
  }

  private static final class Printer {
    void print() {
      System.out.println();
    }
  }

  private static final class Logger {
    Object log() {
      return System.getLogger("a");
    }
  }

  private static final class Tracer {
    void trace(Throwable failure) {
      failure.printStackTrace();
    }
  }

  @Test
  void printing_ofAllKinds_isFound() {
    for (Class<?> type : List.of(Printer.class, Logger.class, Tracer.class)) {
      assertThat(CodeRules.logging(classes(type))).as(type.getName()).containsExactly(HERE);
    }
    assertThat(CodeRules.logging(classes(Statics.class, Block.class))).isEmpty();
  }

  private static final class Invoker {
    Object invoke(Method method) throws ReflectiveOperationException {
      return method.invoke(this);
    }
  }

  private static final class Loader {
    Object load() throws ClassNotFoundException {
      return Class.forName("a.B");
    }
  }

  @Test
  void reflection_ofAllKinds_isFound() {
    for (Class<?> type : List.of(Invoker.class, Loader.class)) {
      assertThat(CodeRules.reflection(classes(type))).as(type.getName()).containsExactly(HERE);
    }
    assertThat(CodeRules.reflection(classes(Statics.class, Printer.class))).isEmpty();
  }

  private static final class QueueManager {}

  private static final class AbstractQueue {}

  private static final class Baseline {}

  @Test
  void names_thatSayNothing_areFound() {
    for (Class<?> type : List.of(QueueManager.class, AbstractQueue.class)) {
      assertThat(CodeRules.vagueNames(classes(type))).as(type.getName()).containsExactly(HERE);
    }
    assertThat(CodeRules.vagueNames(classes(Baseline.class, Statics.class))).isEmpty();
  }
}
