// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.CommandHandler;
import dev.heddle.process.ProcessCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Who carries out which commands.
class CommandRegistryTest {
  private record One() implements ProcessCommand<String> {}

  private record Two() implements ProcessCommand<String> {}

  private record Three() implements ProcessCommand<String> {}

  private static <C extends ProcessCommand<String>> CommandHandler<C, String> handler() {
    return CommandHandler.onLoop((_, _) -> "");
  }

  @Test
  @Tag("P11")
  @Tag("proc-100")
  void get_findsTheHandlerOfTheClass() {
    CommandRegistry registry = new CommandRegistry();
    CommandHandler<One, String> one = handler();
    registry.register(One.class, one);
    assertThat(registry.get(One.class)).isSameAs(one);
    assertThat(registry.has(One.class)).isTrue();
    assertThat(registry.get(Two.class)).isNull();
    assertThat(registry.has(Two.class)).isFalse();
  }

  @Test
  @Tag("proc-98")
  void secondHandlerOfAClass_isRefused() {
    CommandRegistry registry = new CommandRegistry();
    registry.register(One.class, handler());
    assertThatThrownBy(() -> registry.register(One.class, handler()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has a handler already");
  }

  @Test
  @Tag("proc-102")
  void frozen_refusesLaterHandlers_andStillFindsTheOthers() {
    CommandRegistry registry = new CommandRegistry();
    registry.register(One.class, handler());
    registry.freeze();
    assertThatThrownBy(() -> registry.register(Two.class, handler()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("comes too late");
    assertThat(registry.has(One.class)).isTrue();
    assertThat(registry.get(Two.class)).isNull();
  }

  @Test
  @Tag("proc-103")
  void registrationsAndLookUpsAtOnce_areAllSeen() {
    CommandRegistry registry = new CommandRegistry();
    AtomicInteger refused = new AtomicInteger();
    List<CompletableFuture<Void>> all =
        java.util.stream.IntStream.range(0, 100)
            .mapToObj(i ->
                CompletableFuture.runAsync(
                    () -> {
                      try {
                        switch (i % 3) {
                          case 0 -> registry.register(One.class, handler());
                          case 1 -> registry.register(Two.class, handler());
                          default -> registry.register(Three.class, handler());
                        }
                      } catch (IllegalStateException _) {
                        refused.incrementAndGet();
                      }
                      assertThat(registry.has(i % 3 == 0 ? One.class : Two.class) || i % 3 == 2)
                          .isTrue();
                    },
                    task -> Thread.ofVirtual().start(task)))
            .toList();
    all.forEach(CompletableFuture::join);
    assertThat(refused).hasValue(97);
    assertThat(List.of(registry.has(One.class), registry.has(Two.class), registry.has(Three.class)))
        .containsOnly(true);
  }

  @Test
  @Tag("proc-103")
  void manyRegistrationsAtOnce_loseNone() throws Exception {
    List<Class<?>> kinds = List.of(One.class, Two.class, Three.class, String.class);
    for (int round = 0; round < 50; round++) {
      CommandRegistry registry = new CommandRegistry();
      CyclicBarrier together = new CyclicBarrier(kinds.size());
      List<Callable<List<Class<?>>>> registrations =
          kinds.stream()
              .<Callable<List<Class<?>>>>map(kind ->
                  () -> {
                    together.await();
                    return registerArraysOf(kind, registry);
                  })
              .toList();
      try (ExecutorService threads = Executors.newFixedThreadPool(kinds.size())) {
        for (Future<List<Class<?>>> registered : threads.invokeAll(registrations)) {
          assertThat(registered.get()).allMatch(registry::has);
        }
      }
    }
  }

  @SuppressWarnings("unchecked") // the registry looks at the class only
  private static List<Class<?>> registerArraysOf(Class<?> kind, CommandRegistry registry) {
    List<Class<?>> all = new ArrayList<>();
    Class<?> type = kind;
    for (int i = 0; i < 100; i++) { // as many classes as one wants
      type = type.arrayType();
      registry.register((Class<One>) type, handler());
      all.add(type);
    }
    return all;
  }
}
