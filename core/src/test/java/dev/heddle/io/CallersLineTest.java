// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.heddle.Action;
import dev.heddle.CoroutineException;
import dev.heddle.Heddle;
import dev.heddle.LoopGroup;
import dev.heddle.coroutine.Await;
import dev.heddle.hosting.ChildJvm;
import dev.heddle.io.handle.BlockingHandle;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.os.Command;
import dev.heddle.os.FileWatch;
import dev.heddle.os.pipe.BlockingSink;
import dev.heddle.os.pipe.BlockingSource;
import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.thread.ThreadPool;
import dev.heddle.thread.Threads;
import dev.heddle.thread.worker.BlockingFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// Every call that goes to another thread, or to the driver, fails with the line of its caller.
@Tag("T21")
class CallersLineTest {
  private static final InetSocketAddress NOT_OURS = new InetSocketAddress("192.0.2.1", 0);

  @TempDir Path folder;

  /// The line that is looked for.
  private static @Nullable Throwable theCaller(Action call) {
    try {
      call.run();
      return null;
    } catch (Throwable e) {
      return e;
    }
  }

  private static void assertNamesTheCaller(@Nullable Throwable thrown) {
    assertThat(thrown).isNotNull();
    assertThat(methods(thrown)).contains("theCaller");
    if (thrown instanceof CoroutineException) {
      assertThat(methods(thrown.getCause())).contains("theCaller");
    }
  }

  private static List<String> methods(Throwable thrown) {
    return Arrays.stream(thrown.getStackTrace())
        .filter(frame -> frame.getClassName().equals(CallersLineTest.class.getName()))
        .map(StackTraceElement::getMethodName)
        .toList();
  }

  @TestFactory
  Stream<DynamicTest> failureOfACall_namesTheLineOfItsCaller() throws IOException {
    Map<String, Action> calls = new LinkedHashMap<>();
    addPaths(calls);
    addFiles(calls);
    addThreads(calls);
    addSystem(calls);
    return calls.entrySet().stream()
        .map(call ->
            dynamicTest(
                call.getKey(),
                () -> Heddle.run(() -> assertNamesTheCaller(theCaller(call.getValue())))));
  }

  private void addPaths(Map<String, Action> calls) throws IOException {
    Path missing = folder.resolve("missing");
    Path file = Files.writeString(folder.resolve("file"), "text");
    Path below = file.resolve("below");
    calls.put("stat", () -> FileIo.stat(missing));
    calls.put("list", () -> FileIo.list(missing));
    calls.put("createDirectories", () -> FileIo.createDirectories(below));
    calls.put("delete", () -> FileIo.delete(missing));
    calls.put("deleteIfExists", () -> FileIo.deleteIfExists(below));
    calls.put("move", () -> FileIo.move(missing, below));
    calls.put("copy", () -> FileIo.copy(missing, below));
    calls.put("readBytes", () -> FileIo.readBytes(missing));
    calls.put("readString", () -> FileIo.readString(missing));
    calls.put("writeBytes", () -> FileIo.writeBytes(below, new byte[1]));
    calls.put("writeString", () -> FileIo.writeString(below, "text"));
  }

  private void addFiles(Map<String, Action> calls) throws IOException {
    Path file = folder.resolve("locked");
    ByteBuffer buffer = ByteBuffer.allocate(100_000);
    calls.put("FileIo.open", () -> FileIo.open(folder.resolve("missing")));
    calls.put("AsyncFile.read", () -> FileIo.open(folder).read(buffer.clear()));
    calls.put("AsyncFile.readAt", () -> FileIo.open(folder).readAt(buffer.clear(), 3));
    calls.put("AsyncFile.readLine", () -> FileIo.open(folder).readLine());
    calls.put(
        "AsyncFile.write", () -> FileIo.open(Path.of("/dev/full"), WRITE).write(buffer.clear()));
    calls.put(
        "AsyncFile.writeAt",
        () -> FileIo.open(Path.of("/dev/full"), WRITE).writeAt(buffer.clear(), 1));
    calls.put("AsyncFile.lockShared", () -> FileIo.open(file, WRITE, CREATE).lockShared(0, 1));
    calls.put(
        "AsyncFile.tryLockShared",
        () -> FileIo.open(file, READ, CREATE, WRITE).tryLockShared(-1, 1));
    calls.put("Pipe.open", () -> Pipe.openNamed(folder.resolve("missing"), READ));
    calls.put("a stream that blocks, read", () -> broken().read(buffer.clear()));
    calls.put("a stream that blocks, written", () -> broken().write(buffer.clear()));
    calls.put(
        "Tty.open",
        () -> {
          try (Terminal _ = Tty.open()) {
            throw new IOException("this one has a terminal, and cannot fail");
          }
        });
  }

  /// Standard input and terminals are such streams.
  private static BlockingHandle broken() {
    BlockingFile file =
        new BlockingFile() {
          @Override
          public FileChannel channel(boolean writing) {
            throw new UnsupportedOperationException();
          }

          @Override
          public long perform(FileOperation operation) throws IOException {
            throw new IOException("broken");
          }
        };
    return BlockingHandle.of("broken", "a broken stream", file);
  }

  private static void addThreads(Map<String, Action> calls) {
    calls.put("offload", () -> Heddle.offload(failing(new IllegalArgumentException("unchecked"))));
    calls.put("offload, checked", () -> Heddle.offload(failing(new IOException("checked"))));
    calls.put("offload, an error", () -> Heddle.offload(failing(new AssertionError("error"))));
    calls.put("offload, of a third thread", () -> Heddle.offload(CallersLineTest::ofAThirdThread));
    calls.put(
        "ThreadPool.run", () -> withPool(pool -> pool.run(failing(new IOException("checked")))));
    calls.put(
        "ThreadPool.submit", () -> withPool(pool -> pool.submit(failing(new Error())).await()));
    calls.put("ThreadPool.submit, done", () -> withPool(CallersLineTest::awaitTwice));
    calls.put(
        "ThreadPool.map", () -> withPool(pool -> pool.map(List.of(1, 2), i -> List.of(i).get(i))));
    calls.put(
        "ThreadPool.submit, of several",
        () ->
            withPool(
                pool -> Await.of(List.of(pool.submit(failing(new IOException("checked"))))).all()));
    calls.put(
        "Threads.start", () -> Threads.start("one", failing(new IOException("checked"))).await());
  }

  private static Callable<Integer> failing(Throwable failure) {
    return () -> {
      failure.fillInStackTrace();
      throw Sneaky.<RuntimeException>thrown(failure);
    };
  }

  private static int ofAThirdThread() throws Exception {
    CompletableFuture<Throwable> made = new CompletableFuture<>();
    Thread third = Thread.ofVirtual().start(() -> made.complete(new IOException("of a third")));
    third.join();
    throw Sneaky.<RuntimeException>thrown(made.get());
  }

  /// Throws anything.
  private static final class Sneaky {
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the usual sneaky throw
    static <E extends Throwable> RuntimeException thrown(Throwable failure) throws E {
      throw (E) failure;
    }
  }

  private interface Use {
    @Nullable Object of(ThreadPool pool) throws Exception;
  }

  private static void withPool(Use use) throws Exception {
    try (ThreadPool pool = new ThreadPool(2)) {
      var _ = use.of(pool);
    }
  }

  private static @Nullable Object awaitTwice(ThreadPool pool) {
    var future = pool.submit(failing(new IOException("checked")));
    while (!future.isDone()) {
      Heddle.yieldNow();
    }
    return future.await();
  }

  private void addSystem(Map<String, Action> calls) {
    Path missing = folder.resolve("missing");
    calls.put("Command.run", () -> Command.of(missing.toString()).run());
    calls.put("Command.start", () -> Command.of(missing.toString()).start());
    calls.put("FileWatch.open", () -> FileWatch.of(missing).open());
    calls.put("Child.output", () -> source().read(ByteBuffer.allocate(1)));
    calls.put("Child.input", () -> sink().write(ByteBuffer.allocate(1)));
    calls.put("Tcp.connect", () -> Tcp.connect(refusing()));
    calls.put("LoopGroup.serve", CallersLineTest::serveElsewhere);
  }

  private static void serveElsewhere() throws IOException {
    try (LoopGroup group = LoopGroup.start(1)) {
      group.serve(NOT_OURS, connection -> {});
    }
  }

  private static BlockingSource source() {
    InputStream broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("broken");
          }

          @Override
          public int read(byte[] into, int at, int most) throws IOException {
            return read();
          }
        };
    return new BlockingSource(LoopRuntime.current(), "in", "a broken pipe", broken);
  }

  private static BlockingSink sink() {
    OutputStream broken =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("broken");
          }
        };
    return new BlockingSink(LoopRuntime.current(), "out", "a broken pipe", broken);
  }

  private static InetSocketAddress refusing() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return (InetSocketAddress) socket.getLocalSocketAddress();
    }
  }

  @Test
  void missingFile_isTheSameException_asOfTheJdk() {
    Path missing = folder.resolve("missing");
    Heddle.run(() -> {
      Throwable thrown = theCaller(() -> FileIo.readString(missing));
      assertThat(thrown)
          .isInstanceOfSatisfying(
              NoSuchFileException.class,
              e -> assertThat(e.getFile()).isEqualTo(missing.toString()));
      assertThat(thrown).hasNoCause();
    });
  }

  /// Looks up a name that its hosts file does not have.
  public static final class LookUpProgram {
    private LookUpProgram() {}

    public static void main(String[] args) {
      Heddle.run(() -> {
        Throwable thrown = theCaller(() -> Dns.resolve("none.test"));
        String named = methods(thrown).contains("theCaller") ? "named by " : "not named by ";
        System.out.println(named + thrown.getClass().getSimpleName());
      });
    }
  }

  @Test
  void lookUpThatFails_namesTheLineOfItsCaller() throws Exception {
    Path hosts = Files.writeString(folder.resolve("hosts"), "10.0.0.1 one.test\n");
    ChildJvm.Result result =
        ChildJvm.of(LookUpProgram.class).with("-Djdk.net.hosts.file=" + hosts).run();
    assertThat(result.output()).isEqualToIgnoringNewLines("named by UnknownHostException");
  }
}
