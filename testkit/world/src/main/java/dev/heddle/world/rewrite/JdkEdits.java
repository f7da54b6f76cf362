// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import static dev.heddle.world.rewrite.Hook.hook;

import dev.heddle.world.rewrite.Change.CallAtReturn;
import dev.heddle.world.rewrite.Change.CallAtStart;
import dev.heddle.world.rewrite.Change.FilterArgument;
import dev.heddle.world.rewrite.Change.FilterCall;
import dev.heddle.world.rewrite.Change.FilterField;
import dev.heddle.world.rewrite.Change.FilterResult;
import dev.heddle.world.rewrite.Change.Outside;
import dev.heddle.world.rewrite.Change.ReplaceCall;
import dev.heddle.world.rewrite.Change.ReplaceField;
import java.util.List;
import java.util.stream.Stream;

/// The edits of single classes of the JDK. Each row has a place in the JDK at hand, or the agent
/// refuses to start and names the row. Calls that are replaced in many classes are in [Calls].
final class JdkEdits {
  private static final String POOL = "java.util.concurrent.ForkJoinPool";
  private static final String FUTURE = "java.util.concurrent.CompletableFuture";
  private static final String COLLECTIONS = "java.util.ImmutableCollections";
  private static final String LINKS = "java.lang.invoke.MethodHandleNatives";

  /// A thread of the program becomes a virtual thread of the world.
  private static final List<Edit> THREADS =
      List.of(
          edit(
              "java.lang.Thread",
              "start()void",
              new ReplaceCall("Thread.start0()void", hook("HeddleThreads.start"))),
          edit(
              "java.lang.Thread",
              "start(ThreadContainer)void",
              new ReplaceCall("Thread.start0()void", hook("HeddleThreads.start"))),
          edit(
              "java.lang.Thread",
              "alive()boolean",
              new FilterResult(hook("HeddleThreads.alive").withThis())),
          edit(
              "java.lang.Thread",
              "threadState()Thread$State",
              new FilterResult(hook("HeddleThreads.threadState").withThis())),
          edit(
              "java.lang.Thread",
              "isInterrupted()boolean",
              new FilterResult(hook("HeddleThreads.isInterrupted").withThis())),
          edit(
              "java.lang.Thread",
              "interrupt()void",
              new CallAtStart(hook("HeddleThreads.interrupting").withThis())),
          edit(
              "java.lang.Thread",
              "asyncGetStackTrace()StackTraceElement[]",
              new FilterResult(hook("HeddleThreads.stackTrace").withThis())),
          edit(
              "java.lang.Thread",
              "dispatchUncaughtException(Throwable)void",
              new FilterCall(
                  "Thread.getUncaughtExceptionHandler()Thread$UncaughtExceptionHandler",
                  hook("HeddleThreads.uncaughtHandler").withThis())),
          edit(
              "java.lang.Thread",
              "<init>",
              new ReplaceCall("Thread.currentThread()Thread", hook("HeddleThreads.currentThread"))),
          edit(
              "java.lang.Thread",
              "<init>",
              new ReplaceField(
                  "Thread.inheritableThreadLocals", hook("HeddleThreads.inheritableLocals"))),
          edit(
              "java.lang.VirtualThread",
              "<init>",
              new FilterArgument(hook("HeddleThreads.scheduler"))),
          edit(
              "java.lang.VirtualThread",
              "start(ThreadContainer)void",
              new CallAtStart(hook("HeddleThreads.starting").withThis())),
          edit(
              "java.util.concurrent.locks.LockSupport",
              "unpark(Thread)void",
              new FilterArgument(hook("HeddleThreads.target"))));

  /// A thread that is stalled at a preemption point comes back later.
  private static final List<Edit> POINTS =
      List.of(
          edit(
              "java.lang.VirtualThread",
              "submitRunContinuation(Executor,boolean)void",
              new FilterArgument(hook("HeddlePoints.scheduler"))));

  /// Timed waits end by the clock of the world; monitors are handed over before its loop goes on.
  private static final List<Edit> WAITS =
      List.of(
          edit(
              "java.lang.VirtualThread",
              "schedule(Runnable,long,TimeUnit)Future",
              new ReplaceCall(
                  "VirtualThread$DelayedTaskSchedulers.schedule(Runnable,long,TimeUnit)Future",
                  hook("HeddleTime.schedule"))),
          edit(
              "java.lang.VirtualThread",
              "compareAndSetOnWaitingList(boolean,boolean)boolean",
              new CallAtStart(hook("HeddleMonitors.unblocking").withThis())),
          edit(
              "java.lang.VirtualThread",
              "unblock()void",
              new CallAtReturn(hook("HeddleMonitors.unblocked").withThis())));

  /// How long the JDK spins and how far it spreads depend on the number of processors, which is the
  /// world's.
  private static final List<Edit> PROCESSORS =
      List.of(
          edit(
              "java.util.concurrent.ConcurrentHashMap",
              "*",
              new FilterField("ConcurrentHashMap.NCPU", hook("HeddleLimits.processors"))),
          edit(
              "java.util.concurrent.atomic.Striped64",
              "*",
              new FilterField("Striped64.NCPU", hook("HeddleLimits.processors"))),
          edit(
              "java.util.concurrent.Phaser",
              "internalAwaitAdvance(int,Phaser$QNode)int",
              new FilterField("Phaser.NCPU", hook("HeddleLimits.processors"))),
          edit(
              "java.util.concurrent.Phaser",
              "internalAwaitAdvance(int,Phaser$QNode)int",
              new FilterField("Phaser.SPINS_PER_ARRIVAL", hook("HeddleLimits.phaserSpins"))),
          edit(
              "java.util.concurrent.LinkedTransferQueue$DualNode",
              "*",
              new FilterField(
                  "LinkedTransferQueue$DualNode.isUniprocessor",
                  hook("HeddleLimits.isUniprocessor"))));

  /// The common pool is the world's.
  private static final List<Edit> POOLS =
      List.of(
          edit(POOL, "*", new FilterField("ForkJoinPool.common", hook("HeddlePools.common"))),
          edit(
              "java.util.concurrent.ForkJoinTask",
              "*",
              new FilterField("ForkJoinPool.common", hook("HeddlePools.common"))),
          edit(
              FUTURE,
              "*",
              new FilterField("CompletableFuture.ASYNC_POOL", hook("HeddlePools.common"))),
          edit(
              FUTURE,
              "defaultExecutor()Executor",
              new FilterResult(hook("HeddlePools.defaultExecutor"))),
          edit(
              FUTURE + "$DelayedExecutor",
              "execute(Runnable)void",
              new FilterField("CompletableFuture.ASYNC_POOL", hook("HeddlePools.common"))));

  /// Numbers that the JDK draws from counters of the whole JVM.
  private static final List<Edit> NUMBERS =
      List.of(
          edit(
              "java.lang.Thread",
              "<init>",
              new FilterCall("Thread$ThreadIdentifiers.next()long", hook("HeddleChance.threadId"))),
          // here, not where it is called: programs may override it
          edit(
              "java.lang.Thread",
              "getId()long",
              new ReplaceCall("Thread.threadId()long", hook("HeddleThreads.threadId"))),
          edit(
              "java.lang.Thread",
              "genThreadName()String",
              new FilterCall(
                  "Thread$ThreadNumbering.next()int",
                  hook("HeddleChance.numberFrom0").labelled("Thread"))),
          edit(
              POOL,
              "<init>",
              new FilterCall(
                  "ForkJoinPool.getAndAddPoolIds(int)int",
                  hook("HeddleChance.numberFrom0").labelled("ForkJoinPool"))),
          edit(
              "java.util.concurrent.Executors$DefaultThreadFactory",
              "<init>",
              new FilterCall(
                  "AtomicInteger.getAndIncrement()int",
                  hook("HeddleChance.numberFrom1").labelled("pool"))),
          edit(
              "java.util.Timer",
              "serialNumber()int",
              new FilterCall(
                  "AtomicInteger.getAndIncrement()int",
                  hook("HeddleChance.numberFrom0").labelled("Timer"))));

  /// Randomness follows from the seed.
  private static final List<Edit> CHANCE =
      List.of(
          edit(
              "java.util.Random",
              "<init>",
              new FilterCall(
                  "Random.seedUniquifier()long",
                  hook("HeddleChance.seed").labelled("java.util.Random"))),
          edit(
              "java.util.SplittableRandom",
              "<init>",
              new FilterCall(
                  "AtomicLong.getAndAdd(long)long",
                  hook("HeddleChance.seed").labelled("java.util.SplittableRandom"))),
          edit(
              "java.security.SecureRandom",
              "nextBytes(byte[])void",
              new CallAtReturn(hook("HeddleChance.fill").withArgument())),
          edit(
              "java.security.SecureRandom",
              "generateSeed(int)byte[]",
              new FilterResult(hook("HeddleChance.filled"))),
          edit(
              "java.security.SecureRandom",
              "getSeed(int)byte[]",
              new FilterResult(hook("HeddleChance.filled"))),
          reverse("$Set12"),
          reverse("$Set12$1"),
          reverse("$SetN$SetNIterator"),
          reverse("$MapN$MapNIterator"),
          salt("$SetN$SetNIterator"),
          salt("$MapN$MapNIterator"));

  /// The other generators of `java.util.random`.
  private static final List<Edit> GENERATORS =
      Stream.of(
              "L128X1024MixRandom",
              "L128X128MixRandom",
              "L128X256MixRandom",
              "L32X64MixRandom",
              "L64X1024MixRandom",
              "L64X128MixRandom",
              "L64X128StarStarRandom",
              "L64X256MixRandom",
              "Xoroshiro128PlusPlus",
              "Xoshiro256PlusPlus")
          .map(name ->
              edit(
                  "jdk.internal.random." + name,
                  "<init>",
                  new FilterCall(
                      "AtomicLong.getAndAdd(long)long", hook("HeddleChance.seed").labelled(name))))
          .toList();

  /// Names of hosts are the world's.
  private static final List<Edit> NAMES =
      List.of(
          edit(
              "java.net.InetAddress",
              "*",
              new ReplaceCall(
                  "InetAddress.getAllByName0(String,boolean)InetAddress[]",
                  hook("HeddleNames.addressesOf"))),
          edit(
              "java.net.InetAddress",
              "*",
              new ReplaceCall(
                  "InetAddress.getHostFromNameService(InetAddress)String",
                  hook("HeddleNames.nameOf"))));

  /// The network is the world's; what no world has is refused.
  private static final List<Edit> LIMITS =
      List.of(
          edit(
              "java.net.SocketImpl",
              "createPlatformSocketImpl(boolean)SocketImpl",
              new FilterResult(hook("HeddleLimits.socketImpl").withArgument())),
          edit(
              "java.net.ServerSocket",
              "implAccept()SocketImpl",
              new FilterCall(
                  "Socket.socketImplFactory()SocketImplFactory",
                  hook("HeddleLimits.socketFactory"))),
          edit(
              "java.nio.channels.spi.SelectorProvider",
              "provider()SelectorProvider",
              new FilterResult(hook("HeddleLimits.selectorProvider"))),
          refuse(
              "sun.nio.ch.Net",
              "connect(ProtocolFamily,FileDescriptor,InetAddress,int)int",
              "a connection of the operating system"),
          refuse(
              "sun.nio.ch.Net",
              "bind(ProtocolFamily,FileDescriptor,InetAddress,int)void",
              "a socket of the operating system"),
          refuse(
              "sun.nio.ch.UnixDomainSockets",
              "connect(FileDescriptor,Path)int",
              "a UNIX domain connection of the operating system"),
          refuse(
              "sun.nio.ch.UnixDomainSockets",
              "bind(FileDescriptor,Path)void",
              "a UNIX domain socket of the operating system"),
          refuse(
              "sun.nio.ch.SelectorImpl",
              "lockAndDoSelect(Consumer,long)int",
              "a selector of the operating system"),
          refuse("java.lang.ProcessBuilder", "start()Process", "a process of the operating system"),
          refuse("java.lang.Runtime", "exit(int)void", "the end of the JVM (System.exit)"),
          refuse("java.lang.Runtime", "halt(int)void", "the end of the JVM (Runtime.halt)"),
          refuse(
              "java.lang.VirtualThread",
              "parkOnCarrierThread(boolean,long)void",
              "a wait that holds the carrier, below a native frame or inside a class initialiser"));

  /// Files of the default file system are real: the world is told of them.
  private static final List<Edit> FILES =
      Stream.of(
              onFile("java.io.FileInputStream", "open(String)void"),
              onFile("java.io.FileOutputStream", "open(String,boolean)void"),
              onFile("java.io.RandomAccessFile", "open(String,int)void"),
              onFile("java.nio.channels.FileChannel", "open(Path,Set,FileAttribute[])FileChannel"),
              onFile(
                  "java.nio.file.Files",
                  "newByteChannel(Path,Set,FileAttribute[])SeekableByteChannel"),
              onFile(
                  "java.nio.channels.AsynchronousFileChannel",
                  "open(Path,Set,ExecutorService,FileAttribute[])AsynchronousFileChannel"),
              onFile("java.nio.file.Files", "newOutputStream(Path,OpenOption[])OutputStream"),
              onFile("java.nio.file.Files", "newDirectoryStream"),
              onFile("java.nio.file.Files", "createLink(Path,Path)Path"),
              onFile("java.nio.file.Files", "createSymbolicLink(Path,Path,FileAttribute[])Path"),
              onFile("java.nio.file.Files", "createDirectory(Path,FileAttribute[])Path"),
              onFile("java.nio.file.Files", "delete(Path)void"),
              onFile("java.nio.file.Files", "deleteIfExists(Path)boolean"),
              onFile("java.nio.file.Files", "copy(Path,Path,CopyOption[])Path"),
              onFile("java.nio.file.Files", "move(Path,Path,CopyOption[])Path"),
              ofFile("normalizedList()String[]"),
              ofFile("createNewFile()boolean"),
              ofFile("delete()boolean"),
              ofFile("mkdir()boolean"),
              ofFile("renameTo(File)boolean"))
          .toList();

  /// What a program causes that is not its own work: the first run of it must go as the second.
  private static final List<Edit> OUTSIDE =
      List.of(
          edit("java.lang.ClassLoader", "loadClass(String)Class", new Outside()),
          edit(
              "jdk.internal.loader.BuiltinClassLoader",
              "loadClass(String,boolean)Class",
              new Outside()),
          edit(LINKS, "linkCallSite", new Outside()),
          edit(LINKS, "linkMethod", new Outside()),
          edit(LINKS, "linkDynamicConstant", new Outside()),
          edit(LINKS, "linkMethodHandleConstant", new Outside()),
          edit(LINKS, "findMethodHandleType", new Outside()));

  /// All of them.
  static final List<Edit> ALL =
      Stream.of(
              THREADS,
              POINTS,
              WAITS,
              PROCESSORS,
              POOLS,
              NUMBERS,
              CHANCE,
              GENERATORS,
              NAMES,
              LIMITS,
              FILES,
              OUTSIDE)
          .flatMap(List::stream)
          .toList();

  private JdkEdits() {}

  private static Edit edit(String type, String method, Change change) {
    return new Edit(type, method, change);
  }

  private static Edit refuse(String type, String method, String what) {
    return edit(type, method, new CallAtStart(hook("HeddleLimits.refuse").labelled(what)));
  }

  private static Edit onFile(String type, String method) {
    return edit(type, method, new CallAtStart(hook("HeddleLimits.onFile").withArgument()));
  }

  private static Edit ofFile(String method) {
    return edit("java.io.File", method, new CallAtStart(hook("HeddleLimits.onFile").withThis()));
  }

  // immutable sets and maps iterate in an order that a salt of the JVM decides
  private static Edit reverse(String inner) {
    return edit(
        COLLECTIONS + inner,
        "*",
        new FilterField("ImmutableCollections.REVERSE", hook("HeddleChance.reverse")));
  }

  private static Edit salt(String inner) {
    return edit(
        COLLECTIONS + inner,
        "<init>",
        new FilterField("ImmutableCollections.SALT32L", hook("HeddleChance.salt")));
  }
}
