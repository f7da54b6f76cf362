// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.gates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.LoopEndedException;
import dev.heddle.netty.gates.WaitTable.Row;
import dev.heddle.netty.gates.WaitingPlaces.Place;
import dev.heddle.netty.nio.NioProvider;
import io.netty.channel.ChannelFuture;
import io.netty.util.concurrent.Promise;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.classfile.ClassModel;
import java.lang.invoke.MethodHandle;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Nothing that can wait runs on the trampoline: each place of the core and of the Netty bridge at
/// which a thread may wait stands in `waits.txt`, with the threads that come there; and each to
/// which calls lead from where the trampoline begins (`trampoline.txt`) names the trampoline, with
/// the reason why it does not wait there.
///
/// It looks for calls of the JDK that are named in [WaitingCall], for the system's functions, and
/// for monitors. What libraries do when they are called, Netty's handlers among them, it does not
/// see; [CallGraph] says which calls it follows. That a place is reached by a coroutine, by a
/// thread beside, or by the loop's thread at its start and end (`carrier-start`, `carrier-end`) is
/// what the table says, and is not checked: those have no roots from which calls are followed.
@Tag("once")
class WaitsTest {
  private static final String ROOM = "dev.heddle.netty.gates";

  @Test
  @Tag("trap-42")
  void placeThatMayWait_eachOfCoreAndNetty_standsInTheTableWithItsThreads() {
    Set<Place> there = new TreeSet<>(WaitingPlaces.of(classes()));
    assertThat(there)
        .as("the classes were found: one that waits in each module")
        .contains(new Place("dev.heddle.reactor", "LazyDriver#poll", "LockSupport.park"))
        .contains(
            new Place("dev.heddle.netty.handler", "IoHandlerAdapter#park", "LockSupport.park"));
    assertThat(WaitTable.read().problems(there)).isEmpty();
  }

  @Test
  @Tag("trap-42")
  void placeThatMayWait_whereTheTrampolineComes_namesItAndSaysWhyItDoesNotWait() {
    TrampolineTable table = TrampolineTable.read();
    assertThat(new CallGraph(classes(), table).problems(WaitTable.read())).isEmpty();
    assertThat(table.problems()).isEmpty();
  }

  private static List<ClassModel> classes() {
    // two that no mutant replaces: else they would lead to the mutant alone
    List<ClassModel> all = new ArrayList<>(ClassFiles.ofModuleOf(LoopEndedException.class));
    all.addAll(ClassFiles.ofModuleOf(NioProvider.class));
    return all;
  }

  /// Ways to a wait, and ways that are none; it is looked at, and never run.
  @SuppressWarnings("unused") // the class file is read
  private static class Ways {
    private final Runnable kept = this::keptInAField;
    private Ways other = new Overriding();

    void root() {
      other.overridden();
      List.of().forEach(_ -> LockSupport.park(other));
      kept.run();
      tell(this::toldByAnother);
      new Thread(this::onAThread).start();
      neverTaken();
    }

    void tell(Runnable what) {
      what.run();
    }

    void anywhere() {
      carrierTask(this::inACarrierTask);
      notReached();
    }

    void carrierTask(Runnable what) {}

    void overridden() {}

    void keptInAField() {
      LockSupport.park();
    }

    void toldByAnother() {
      LockSupport.park();
    }

    void inACarrierTask() {
      LockSupport.park();
    }

    void onAThread() {
      LockSupport.park();
    }

    void neverTaken() {
      LockSupport.park();
    }

    void notReached() {
      LockSupport.park();
    }

    private static final class Overriding extends Ways {
      @Override
      void overridden() {
        LockSupport.park();
      }
    }
  }

  @Test
  void placeThatMayWait_reachedByAnyCall_isAProblemUnlessItNamesTheTrampoline() {
    List<ClassModel> classes = ClassFiles.of(Ways.class);
    TrampolineTable table =
        TrampolineTable.parse(
            """
            [roots]
            WaitsTest[$]Ways#root | begins
            [carrier tasks]
            .*#carrierTask | begins
            [hand overs]
            Thread#<init> | a thread's
            [cuts]
            .* > .*#neverTaken | a condition
            """);
    List<Row> besideOnly =
        WaitingPlaces.of(classes).stream()
            .map(place -> new Row(place, List.of("beside"), ""))
            .toList();
    assertThat(new CallGraph(classes, table).problems(new WaitTable(besideOnly)))
        .extracting(problem -> problem.replaceFirst(" may run .*", ""))
        .containsExactlyInAnyOrder(
            "WaitsTest$Ways#root",
            "WaitsTest$Ways$Overriding#overridden",
            "WaitsTest$Ways#keptInAField",
            "WaitsTest$Ways#toldByAnother",
            "WaitsTest$Ways#inACarrierTask");
    assertThat(table.problems()).isEmpty();
  }

  @Test
  void trampolineTable_withARowThatFitsNothing_orWithoutAReason_isRefused() {
    TrampolineTable table = TrampolineTable.parse("[roots]\nGone#gone | it was once\n");
    var graph = new CallGraph(ClassFiles.of(Ways.class), table);
    assertThat(graph.problems(WaitTable.parse(""))).isEmpty();
    assertThat(table.problems()).singleElement().asString().contains("Gone#gone");
    assertThatThrownBy(() -> TrampolineTable.parse("[cuts]\nA#a > B#b\n"))
        .hasMessageContaining("A#a > B#b");
  }

  /// One of each kind; it is looked at, and never run.
  @SuppressWarnings("unused") // the class file is read
  private static final class Waiter {
    private static final System.Logger LOG = System.getLogger("nobody's");
    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();

    synchronized void method() {}

    void monitor() {
      synchronized (lock) {
        lock.unlock();
      }
    }

    void locks() throws InterruptedException {
      lock.lock();
      boolean _ = lock.tryLock(1, TimeUnit.DAYS);
    }

    void queues() throws InterruptedException {
      queue.put("");
      var _ = queue.poll(1, TimeUnit.DAYS);
    }

    Runnable lambda(CountDownLatch latch) {
      return () -> {
        try {
          latch.await();
        } catch (InterruptedException _) {
          // never run
        }
      };
    }

    Callable<String> reference(CompletableFuture<String> future) {
      return future::get;
    }

    void map(ConcurrentHashMap<String, String> map) {
      map.computeIfAbsent("", key -> key);
    }

    void datagram(DatagramSocket socket) throws IOException {
      socket.receive(new DatagramPacket(new byte[1], 1));
    }

    void netty(Promise<?> promise, ChannelFuture future) throws Exception {
      var _ = promise.get();
      var _ = future.sync();
      var _ = future.awaitUninterruptibly();
    }

    void completions(CompletionService<String> service) throws InterruptedException {
      var _ = service.take();
    }

    void file(File file) throws IOException {
      boolean _ = file.exists();
      new FileInputStream(file).close();
      new RandomAccessFile("nobody's", "r").close();
    }

    void channels(FileChannel file, SocketChannel socket) throws IOException {
      file.close();
      socket.close();
    }

    @SuppressWarnings("AddressSelection") // what is looked for
    void names(URL url) throws IOException {
      var _ = new Socket("nobody", 1);
      var _ = new InetSocketAddress("nobody", 1);
      var _ = NetworkInterface.getByIndex(1);
      var _ = url.openStream();
    }

    Supplier<SecureRandom> random() {
      return SecureRandom::new;
    }

    void ofTheSystem(MethodHandle open) throws Throwable {
      open.invokeExact();
    }

    void log() {
      LOG.log(System.Logger.Level.INFO, "");
    }

    // none of these waits
    void goesOn(Promise<?> promise, File file, FileDescriptor open, InetAddress address) {
      var _ = promise.getNow();
      var _ = file.getName();
      var _ = new FileOutputStream(open);
      var _ = new InetSocketAddress(address, 1);
      var _ = new Socket();
      boolean _ = lock.tryLock();
      boolean _ = queue.offer("");
      var _ = queue.poll();
      Thread.onSpinWait();
    }
  }

  @Test
  void waitOfEachKind_alsoInALambdaOrByReference_isFound() {
    assertThat(WaitingPlaces.of(ClassFiles.of(Waiter.class)).stream().map(Place::line))
        .containsExactlyInAnyOrder(
            "WaitsTest$Waiter#<clinit> | System.getLogger",
            "WaitsTest$Waiter#method | synchronized",
            "WaitsTest$Waiter#monitor | synchronized",
            "WaitsTest$Waiter#locks | ReentrantLock.lock",
            "WaitsTest$Waiter#locks | ReentrantLock.tryLock",
            "WaitsTest$Waiter#queues | LinkedBlockingQueue.put",
            "WaitsTest$Waiter#queues | LinkedBlockingQueue.poll",
            "WaitsTest$Waiter#lambda | CountDownLatch.await",
            "WaitsTest$Waiter#reference | CompletableFuture.get",
            "WaitsTest$Waiter#map | ConcurrentHashMap.computeIfAbsent",
            "WaitsTest$Waiter#datagram | DatagramSocket.receive",
            "WaitsTest$Waiter#netty | Promise.get",
            "WaitsTest$Waiter#netty | ChannelFuture.sync",
            "WaitsTest$Waiter#netty | ChannelFuture.awaitUninterruptibly",
            "WaitsTest$Waiter#completions | CompletionService.take",
            "WaitsTest$Waiter#file | File.exists",
            "WaitsTest$Waiter#file | FileInputStream.<init>",
            "WaitsTest$Waiter#file | RandomAccessFile.<init>",
            "WaitsTest$Waiter#channels | FileChannel.close",
            "WaitsTest$Waiter#channels | SocketChannel.close",
            "WaitsTest$Waiter#names | Socket.<init>",
            "WaitsTest$Waiter#names | InetSocketAddress.<init>",
            "WaitsTest$Waiter#names | NetworkInterface.getByIndex",
            "WaitsTest$Waiter#names | URL.openStream",
            "WaitsTest$Waiter#random | SecureRandom.<init>",
            "WaitsTest$Waiter#ofTheSystem | MethodHandle.invokeExact",
            "WaitsTest$Waiter#log | System.Logger.log");
  }

  @Test
  void table_withoutAPlaceOrWithOneTooMany_saysWhatToDo() {
    Place known = new Place(ROOM, "A#a", "Thread.sleep");
    Place unknown = new Place(ROOM, "B#b", "System.Logger.log");
    WaitTable table =
        WaitTable.parse(
            "[%s]\n%s | beside\nC#c | Thread.join | coroutine\n".formatted(ROOM, known.line()));
    assertThat(table.problems(Set.of(known, unknown)))
        .satisfiesExactly(
            missing ->
                assertThat(missing)
                    .startsWith("B#b may wait (System.Logger.log)")
                    .contains("AsyncLog"),
            more -> assertThat(more).contains("C#c").contains("remove the line"));
  }

  @Test
  void table_onTheTrampolineWithoutAReason_orOnAThreadThatIsNone_isRefused() {
    WaitTable table =
        WaitTable.parse(
            """
            [room]
            A#a | Thread.sleep | trampoline
            B#b | Thread.sleep | trampoline | it does not
            C#c | Thread.sleep | somewhere
            """);
    Set<Place> there =
        Set.of(
            new Place("room", "A#a", "Thread.sleep"),
            new Place("room", "B#b", "Thread.sleep"),
            new Place("room", "C#c", "Thread.sleep"));
    assertThat(table.problems(there))
        .satisfiesExactly(
            first -> assertThat(first).contains("A#a").contains("why it does not wait"),
            second -> assertThat(second).contains("C#c").contains("somewhere"));
  }
}
