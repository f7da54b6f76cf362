// SPDX-License-Identifier: Apache-2.0
package rest;

import module java.base;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/// What there is between two rounds of a soak.
///
/// @param heap after a collection, in KiB
/// @param resident memory, in KiB
/// @param direct memory outside the heap that buffers take, the JDK's and Netty's, in KiB
/// @param files what the descriptors are for
/// @param names of the threads
public record Rest(long heap, long resident, long direct, List<String> files, List<String> names) {
  public static final String HEAD =
      "| s | heap, KiB | resident, KiB | direct, KiB | descriptors | threads |";

  public static Rest now() throws IOException {
    System.gc();
    return new Rest(
        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 10,
        residentNow(),
        directNow() >> 10,
        open(),
        Thread.getAllStackTraces().keySet().stream()
            .map(Thread::getName)
            .filter(Rest::counts)
            .sorted()
            .toList());
  }

  private static long residentNow() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .sum();
  }

  /// What Netty gets past the JDK's books it writes into its own; the pool's chunks are in either.
  private static long directNow() {
    long jdk =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum();
    long netty = Math.max(0, PlatformDependent.usedDirectMemory()); // -1: it keeps none
    return Math.max(jdk + netty, pooledNow());
  }

  private static long pooledNow() {
    return PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
  }

  /// Those of pools come with the load, up to the pool's size, and go when they are idle; those of
  /// logs, with a line; that of an observer, with a `./heddle ps`.
  private static boolean counts(String name) {
    return !name.matches(".*-offload-\\d+|.*-log|heddle-attach|process reaper.*|ForkJoinPool.*");
  }

  /// What the descriptors are for, but those of an observer.
  public static List<String> open() throws IOException {
    List<String> files = new ArrayList<>();
    try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path link : links) {
        file(link).filter(file -> !file.contains("/.heddle-")).ifPresent(files::add);
      }
    }
    return files;
  }

  private static Optional<String> file(Path link) throws IOException {
    try {
      return Optional.of(Files.readSymbolicLink(link).toString());
    } catch (NoSuchFileException _) {
      return Optional.empty(); // closed meanwhile
    }
  }

  public long descriptors() {
    return files.size();
  }

  public long threads() {
    return names.size();
  }

  public static long pipes(List<String> files) {
    return files.stream().filter(file -> file.startsWith("pipe:")).count();
  }

  public String row(Duration since) {
    return "| %d | %d | %d | %d | %d | %d |"
        .formatted(since.toSeconds(), heap, resident, direct, descriptors(), threads());
  }

  // --- flat or not --------------------------------------------------------------------------

  /// What is more in the second half than in the first, beyond the tolerance. Of the resident
  /// memory nearly all is the heap, which does not grow: no part of it is tolerated, but what the
  /// compilers still make in the first minutes.
  public static List<String> grown(List<Rest> rests) {
    if (rests.size() < 2) {
      return List.of("nothing is known: there are two halves after three rounds only");
    }
    return Stream.of(
            grown("heap", rests, Rest::heap, 1.1, 1 << 10),
            grown("resident", rests, Rest::resident, 1, 16 << 10),
            grown("direct", rests, Rest::direct, 1.1, 4 << 10), // a chunk of Netty's pool
            grown("descriptors", rests, Rest::descriptors, 1, 0),
            grown("threads", rests, Rest::threads, 1, 0))
        .flatMap(Optional::stream)
        .toList();
  }

  private static Optional<String> grown(
      String what, List<Rest> rests, ToLongFunction<Rest> value, double factor, long more) {
    int half = rests.size() / 2;
    long before = rests.subList(0, half).stream().mapToLong(value).max().orElseThrow();
    long after = rests.subList(half, rests.size()).stream().mapToLong(value).max().orElseThrow();
    return after <= before * factor + more
        ? Optional.empty()
        : Optional.of(what + " from " + before + " to " + after);
  }
}
