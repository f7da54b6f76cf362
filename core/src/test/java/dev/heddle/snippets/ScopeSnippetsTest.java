// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.coroutine.CancelMode;
import dev.heddle.coroutine.Context;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.OutputCapture;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.ScopeProvider;
import dev.heddle.coroutine.ScopedBindings;
import dev.heddle.coroutine.SpawnStrategy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the documentation of scopes shows, compiled and run.
@Tag("once")
class ScopeSnippetsTest {
  private final List<String> log = new ArrayList<>();

  // @start region=provider
  static final class Session implements ScopeProvider, AutoCloseable {
    private final Scope scope = Scope.current().child();

    @Override
    public Scope provideScope() {
      return scope;
    }

    @Override
    public void close() {
      scope.close(); // cancels what the session still does
    }
  }

  // @end

  @Test
  void provider() {
    Heddle.run(() -> {
      try (var session = new Session()) {
        var worker = Heddle.spawnWith(session, () -> Scope.current() == session.scope);
        assertThat(worker.await()).isTrue();
      }
    });
  }

  private static final Context.Key<String> USER = Context.Key.named("user");

  // @start region=strategy
  record AsUser(String user) implements SpawnStrategy {
    @Override
    public Scope provideScope() {
      return Scope.current();
    }

    @Override
    public void beforeEnqueue(Coroutine<?> coroutine, Scope scope) {
      coroutine.ownContext().set(USER, user);
    }
  }

  // @end

  @Test
  void strategy() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawnWith(new AsUser("ann"), () -> Heddle.current().ownContext().get(USER));
      assertThat(worker.await()).isEqualTo("ann");
    });
  }

  @Test
  void context() {
    Heddle.run(() -> {
      // @start region=context
      Context.Key<String> requestId = Context.Key.named("request id");
      Heddle.scope(() -> {
        Scope.current().context().set(requestId, "r-17");
        Heddle.launch("audit", () -> log.add(Context.current().get(requestId)));
      });
      // @end
    });
    assertThat(log).containsExactly("r-17");
  }

  private static final ScopedValue<String> TENANT = ScopedValue.newInstance();

  @Test
  void bindings() {
    Heddle.run(() -> ScopedValue.where(TENANT, "acme").run(this::spawnWithTenant));
    assertThat(log).containsExactly("acme");
  }

  private void spawnWithTenant() {
    // @start region=bindings
    var bindings = ScopedBindings.capture(TENANT);
    Heddle.spawn(bindings.wrap(() -> log.add(TENANT.get())));
    // @end
  }

  @Test
  void capture() {
    Heddle.run(() -> {
      // @start region=capture
      String page;
      try (OutputCapture printed = OutputCapture.open()) {
        renderPage(); // prints, and may wait
        page = printed.out();
      }
      // @end
      assertThat(page.lines()).containsExactly("<html>", "</html>");
    });
  }

  private static void renderPage() {
    System.out.println("<html>");
    Heddle.yieldNow();
    System.out.println("</html>");
  }

  @Test
  void child() {
    Heddle.run(() -> {
      // @start region=child
      try (Scope server = Scope.open()) {
        Scope session = server.child();
        session.launch("reader", () -> log.add("reads"));
        Heddle.yieldNow();
        session.cancel("logged out", CancelMode.DRAIN);
        server.join();
      }
      // @end
    });
    assertThat(log).containsExactly("reads");
  }

  @Test
  void handler() {
    Heddle.run(() -> {
      // @start region=handler
      Heddle.scope(() -> {
        Scope.current()
            .handleFailures((scope, failed, failure) -> log.add(failed.name() + ": " + failure));
        Heddle.launch("one of many", () -> serve("a bad request"));
        Heddle.launch("another", () -> serve("a good request"));
      });
      // @end
    });
    assertThat(log)
        .containsExactlyInAnyOrder(
            "a good request", "one of many: java.lang.IllegalArgumentException: a bad request");
  }

  private void serve(String request) {
    if (request.contains("bad")) {
      throw new IllegalArgumentException(request);
    }
    log.add(request);
  }

  @Test
  void completion() {
    Heddle.run(() -> {
      // @start region=completion
      Coroutine<Integer> worker = Heddle.spawn("worker", () -> 42);
      worker.onCompletion(ended -> log.add(ended.name() + " has ended"));
      // @end
      worker.await();
    });
    assertThat(log).containsExactly("worker has ended");
  }
}
