// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.gates;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Calls of the JDK, and of Netty's futures, in which a thread may wait: for a lock, for another
/// thread, for a disk or a peer.
///
/// Names and descriptors are the class file's, so a call counts under the type by which it is made.
/// An atomic variable, a concurrent queue and a map are no waits, nor is a channel that does not
/// block.
record WaitingCall(Pattern owner, Pattern name, Pattern descriptor) {
  private static final String ANY = ".*";
  private static final String CONCURRENT = "java/util/concurrent/";

  private static final List<WaitingCall> ALL =
      List.of(
          // locks
          call(CONCURRENT + "locks/(\\w*Lock|\\w+[$]\\w+Lock)", "lock|lockInterruptibly"),
          call(CONCURRENT + "locks/(\\w*Lock|\\w+[$]\\w+Lock)", "tryLock", "\\(J.*"),
          call(CONCURRENT + "locks/StampedLock", "(try)?(read|write)Lock(Interruptibly)?"),
          call(CONCURRENT + "locks/(Condition|\\w+[$]ConditionObject)", "await\\w*"),
          call(ANY, "wait", "\\((J|JI)?\\)V"),
          // threads
          call(CONCURRENT + "locks/LockSupport", "park\\w*"),
          call("java/lang/Thread(Builders[$]\\w+)?", "sleep|join"),
          call(ANY, "awaitTermination|awaitQuiescence"),
          call("java/lang/(System|Runtime)", "exit"),
          // what other threads complete
          call(CONCURRENT + "\\w*(Future|Task)", "get|join|invoke|quietlyJoin\\w*"),
          call(
              "io/netty/(util/concurrent|channel)/\\w*(Future|Promise)",
              "get|join|sync\\w*|await\\w*"),
          call(CONCURRENT + "\\w*CompletionService", "take"),
          call(CONCURRENT + "\\w*CompletionService", "poll", "\\(.*TimeUnit;\\).*"),
          call(CONCURRENT + "(\\w*Executor\\w*|ForkJoinPool)", "close|invoke(All|Any)?"),
          call(
              CONCURRENT + "(\\w*(Blocking|Transfer)\\w*|SynchronousQueue|DelayQueue)",
              "put\\w*|take\\w*|transfer"),
          call(
              CONCURRENT + "(\\w*(Blocking|Transfer)\\w*|SynchronousQueue|DelayQueue)",
              "offer\\w*|poll\\w*",
              "\\(.*Ljava/util/concurrent/TimeUnit;\\).*"),
          call(CONCURRENT + "Semaphore", "acquire\\w*"),
          call(CONCURRENT + "Semaphore", "tryAcquire", "\\(.*TimeUnit;\\).*"),
          call(
              CONCURRENT + "(CountDownLatch|CyclicBarrier|Phaser)", "await\\w*|arriveAndAwait\\w*"),
          call(CONCURRENT + "Exchanger", "exchange"),
          // a log's handlers take locks, and write to disks and peers
          call("java/lang/System[$]Logger", "log"),
          call("java/lang/System", "getLogger"),
          call("java/util/logging/\\w+", ANY),
          call("java/io/(PrintStream|PrintWriter)", "print\\w*|write\\w*|append|format|flush"),
          call("java/lang/\\w*(Throwable|Exception|Error)", "printStackTrace"),
          // processes, streams, disks, names
          call("java/lang/Process", "waitFor"),
          call("java/lang/ProcessBuilder", "start\\w*"),
          call("java/io/(?!ByteArray)\\w*(InputStream|Reader)", "read\\w*|skip\\w*|transferTo"),
          call("java/io/(?!ByteArray)\\w*(OutputStream|Writer)", "write\\w*|flush"),
          call("java/io/RandomAccessFile", "read\\w*|write\\w*"),
          call(
              "java/nio/channels/FileChannel",
              "open|read|write|force|transfer(To|From)|truncate|map|(tryL|l)ock"),
          call("java/nio/channels/(spi/)?\\w*Channel", "close|implClose\\w*"),
          call("java/nio/file/Files", ANY),
          call(
              "java/io/File",
              "can[A-Z]\\w+|exists|is(Directory|File|Hidden)|lastModified|length|create\\w+|delete\\w*"
                  + "|list\\w*|mkdirs?|renameTo|set\\w+|getCanonical\\w+|get\\w+Space"),
          call(
              "java/io/(File(In|Out)putStream|File(Reader|Writer)|RandomAccessFile|Print(Stream|Writer))",
              "<init>",
              "\\(Ljava/(lang/String|io/File);.*"),
          call("java/nio/file/WatchService", "take|poll"),
          call("java/net/(Server)?Socket", "connect|accept"),
          call("java/net/Socket", "<init>", "\\(Ljava/(lang/String|net/InetAddress);I.*"),
          call(
              "java/net/InetAddress",
              "getByName|getAllByName|getLocalHost|getHostName|getCanonicalHostName|isReachable"),
          call("java/net/InetSocketAddress", "getHostName"),
          call("java/net/InetSocketAddress", "<init>", "\\(Ljava/lang/String;.*"),
          call("java/net/NetworkInterface", "getBy\\w+|(getN|n)etworkInterfaces|is[A-Z]\\w+"),
          call("java/net/URL", "open\\w*|getContent|equals|hashCode|sameFile"),
          call("java/security/SecureRandom", ANY),
          call("java/util/UUID", "randomUUID"),
          call("java/net/spi/InetAddressResolver", "lookup\\w*"),
          call("java/nio/channels/Selector", "select\\w*"),
          call("java/net/(Datagram|Multicast)Socket", "receive|send"),
          // a subtask, and who computes the same bin of a map, may be parked
          call(CONCURRENT + "StructuredTaskScope", "join\\w*|close"),
          call(CONCURRENT + "Concurrent(Hash|SkipList)?Map", "compute\\w*|merge"),
          // the system's functions; their own threads are not the JDK's to compensate
          call("java/lang/invoke/MethodHandle", "invoke(Exact|WithArguments)?"));

  private static WaitingCall call(String owner, String name) {
    return call(owner, name, ANY);
  }

  private static WaitingCall call(String owner, String name, String descriptor) {
    return new WaitingCall(
        Pattern.compile(owner), Pattern.compile(name), Pattern.compile(descriptor));
  }

  /// What a call is named in the table; empty when nothing waits in it.
  ///
  /// @param owner the internal name of the type by which it is made
  static Optional<String> find(String owner, String name, String descriptor) {
    boolean waits = ALL.stream().anyMatch(call -> call.fits(owner, name, descriptor));
    String type = owner.substring(owner.lastIndexOf('/') + 1).replace('$', '.');
    return waits ? Optional.of(type + '.' + name) : Optional.empty();
  }

  private boolean fits(String ofOwner, String ofName, String ofDescriptor) {
    return owner.matcher(ofOwner).matches()
        && name.matcher(ofName).matches()
        && descriptor.matcher(ofDescriptor).matches();
  }
}
