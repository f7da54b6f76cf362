// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/// Programs with atomic and volatile accesses. Those that spin end only if another thread gets a
/// turn.
final class Atomics {
  private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(Object[].class);

  private Atomics() {}

  static void chainInParallelStream(Threads threads) {
    AtomicInteger link = new AtomicInteger();
    IntStream.range(1, 10).parallel().forEach(i -> link.compareAndSet(i - 1, i + 1));
    check(link.get() == 10, "the chain ended at " + link);
  }

  static void spinOnCas(Threads threads) {
    Object[] cell = {"before"};
    threads.start(() -> ELEMENT.setVolatile(cell, 0, "after"));
    threads.start(() -> {
      while (!ELEMENT.compareAndSet(cell, 0, "after", "before")) {
        // until the other thread has written
      }
    });
  }

  static void spinOnVolatile(Threads threads) {
    Object[] cell = {"before"};
    threads.start(() -> ELEMENT.setVolatile(cell, 0, "after"));
    threads.start(() -> {
      while (ELEMENT.getVolatile(cell, 0).equals("before")) {
        // until the other thread has written
      }
    });
  }

  static void spinAndYield(Threads threads) {
    AtomicBoolean working = new AtomicBoolean();
    threads.start(() -> {
      working.set(true);
      Thread.yield();
      working.set(false);
    });
    threads.start(() -> {
      while (working.get()) {
        Thread.yield();
      }
    });
  }

  /// A field of each kind.
  @SuppressWarnings("UnusedVariable") // used by handles
  private static final class Fields {
    boolean truth;
    byte tiny;
    char letter;
    short small;
    int number;
    long large;
    float single;
    double twice;
    int[] numbers = {};
  }

  static void everyKindOfField() throws ReflectiveOperationException {
    readsWhatItWrites("truth", boolean.class, true);
    readsWhatItWrites("tiny", byte.class, (byte) -7);
    readsWhatItWrites("letter", char.class, 'h');
    readsWhatItWrites("small", short.class, (short) 700);
    readsWhatItWrites("number", int.class, 70_000);
    readsWhatItWrites("large", long.class, 1L << 40);
    readsWhatItWrites("single", float.class, 0.5f);
    readsWhatItWrites("twice", double.class, 0.25);
    readsWhatItWrites("numbers", int[].class, new int[] {3, 2, 1});
  }

  private static void readsWhatItWrites(String name, Class<?> type, Object value)
      throws ReflectiveOperationException {
    Lookup lookup = MethodHandles.lookup();
    VarHandle field = lookup.findVarHandle(Fields.class, name, type);
    Fields fields = new Fields();
    field.setVolatile(fields, value);
    Object read = field.getVolatile(fields);
    check(value.equals(read), name + ": wrote " + value + ", read " + read);
  }
}
