// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.sync.Mutex;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// What waits and clean-ups need: servers, a child, locks that somebody else holds.
final class CleanUpWorld implements AutoCloseable {
  /// Lets whoever asked wait, and then goes on.
  static final Executor SOON = CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS);

  private final ServerSocket silent = loopback();
  private final ServerSocket echoing = loopback();
  private final Process child = new ProcessBuilder("/bin/sh", "-c", "read line").start();
  private final HttpClient http = HttpClient.newHttpClient();
  private final ReentrantLock taken = new ReentrantLock();
  private final CountDownLatch over = new CountDownLatch(1);
  private final List<Socket> accepted = new ArrayList<>();

  // of the run that is under way
  private @Nullable Mutex mutex;
  private @Nullable CompletableFuture<Void> letGo;

  CleanUpWorld() throws IOException {
    CountDownLatch held = new CountDownLatch(1);
    Thread.ofPlatform().daemon().start(() -> holdUntilOver(held));
    Thread.ofPlatform().daemon().start(this::acceptAndSaySilent);
    Thread.ofPlatform().daemon().start(this::echoForEver);
    try {
      held.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static ServerSocket loopback() throws IOException {
    return new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
  }

  private void holdUntilOver(CountDownLatch held) {
    taken.lock();
    try {
      held.countDown();
      over.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      taken.unlock();
    }
  }

  private void acceptAndSaySilent() {
    try {
      while (true) {
        accepted.add(silent.accept());
      }
    } catch (IOException _) {
      // safe: closed at the end
    }
  }

  private void echoForEver() {
    try {
      while (true) {
        Socket one = echoing.accept();
        Thread.ofPlatform().daemon().start(() -> echo(one));
      }
    } catch (IOException _) {
      // safe: closed at the end
    }
  }

  private static void echo(Socket socket) {
    try (socket) {
      socket.getInputStream().transferTo(socket.getOutputStream());
    } catch (IOException _) {
      // safe: the clean-up was cut, and says so itself
    }
  }

  @Override
  public void close() throws IOException {
    over.countDown();
    child.destroy();
    http.close();
    silent.close();
    echoing.close();
    for (Socket s : accepted) {
      s.close();
    }
  }

  // ---- what waits need ----

  ReentrantLock taken() {
    return taken;
  }

  /// A lock that is let go once the one who waits for it has been cancelled, or soon.
  ReentrantLock takenUntilCut() {
    ReentrantLock lock = new ReentrantLock();
    CountDownLatch held = new CountDownLatch(1);
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          lock.lock();
          held.countDown();
          try {
            Thread.sleep(20);
          } catch (InterruptedException _) {
            // safe: nobody does that
          }
          lock.unlock();
        });
    try {
      held.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return lock;
  }

  Process child() {
    return child;
  }

  HttpClient http() {
    return http;
  }

  HttpRequest unanswered() {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + silent.getLocalPort() + "/"))
        .build();
  }

  Socket silentSocket() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), silent.getLocalPort());
  }

  SocketChannel silentChannel() throws IOException {
    return SocketChannel.open(silent.getLocalSocketAddress());
  }

  InetSocketAddress echo() {
    return (InetSocketAddress) echoing.getLocalSocketAddress();
  }

  /// Waits for a mutex that another coroutine holds.
  void lockMutexOfAnother() {
    SOON.execute(() -> letGo.complete(null));
    mutex.lock();
    mutex.unlock();
  }

  // ---- a run ----

  /// Cuts a wait, and lets its `finally` block wait.
  ///
  /// @return what the clean-up was cut by; null: it came to its end
  @Nullable String run(Cut how, CutWait wait, CleanUp cleanUp, boolean isProtected) {
    String[] cutBy = {"nothing: it never began"};
    Action step =
        isProtected ? () -> Heddle.shield(() -> cleanUp.run(this)) : () -> cleanUp.run(this);
    Action cutAndCleanUp =
        () -> {
          try {
            wait.begin(this);
          } finally {
            cutBy[0] = outcomeOf(step);
          }
        };
    try {
      Heddle.run(() -> {
        mutex = new Mutex("of another");
        letGo = new CompletableFuture<>();
        Heddle.launch("another", () -> Heddle.shield(this::holdMutex));
        Heddle.yieldNow();
        try {
          cut(how, cutAndCleanUp);
        } finally {
          letGo.complete(null);
        }
      });
    } catch (Cancellation | DeadlineException | WaitCancelledException | IllegalStateException _) {
      // safe: what a cut does to whoever awaits it is of no interest here
    }
    return cutBy[0];
  }

  private static @Nullable String outcomeOf(Action cleanUp) {
    try {
      cleanUp.run();
      return null;
    } catch (Throwable e) {
      return e.toString();
    }
  }

  private void holdMutex() {
    mutex.lock();
    try {
      Heddle.await(letGo);
    } finally {
      mutex.unlock();
    }
  }

  private static void cut(Cut how, Action cutAndCleanUp) {
    var fired = Heddle.<Boolean>promise("cut");
    Coroutine<Boolean> one =
        Heddle.supervise(s -> {
          Coroutine<Boolean> waits =
              Beside.spawn(
                  switch (how) {
                    case CANCEL, SHUTDOWN -> cutAndCleanUp;
                    case WITHIN -> () -> Heddle.withTimeout(Duration.ofMillis(5), cutAndCleanUp);
                    case TOKEN -> () -> Heddle.cancelWhen(fired.future(), cutAndCleanUp);
                    case SCOPE_FAILURE ->
                        () ->
                            Heddle.scope(block -> {
                              block.launch("fails", () -> failWhen(fired));
                              cutAndCleanUp.run();
                              return null;
                            });
                  });
          Beside.until(() -> waits.isSuspended() || waits.isDone());
          switch (how) {
            case CANCEL -> waits.cancel("enough");
            case SHUTDOWN -> Heddle.shutdown(Duration.ofMinutes(1));
            case TOKEN, SCOPE_FAILURE -> fired.complete(true);
            case WITHIN -> {}
          }
          Heddle.shield(() -> awaitEnd(waits));
          return waits;
        });
    assert one.isDone();
  }

  private static void failWhen(dev.heddle.event.Promise<Boolean> fired) {
    fired.future().await();
    throw new IllegalStateException("a member fails");
  }

  private static void awaitEnd(Coroutine<?> one) {
    try {
      one.await();
    } catch (Throwable _) {
      // safe: see run()
    }
  }
}
