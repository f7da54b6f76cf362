// SPDX-License-Identifier: Apache-2.0
package dev.heddle.heap;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/// The objects on the heap, counted by class by the JVM itself.
///
/// Two of them tell what one of many takes: a class of which there is not about one new object for
/// each belongs to something else, such as the histogram itself. (Its text is an array of bytes, so
/// what is said of these is too much by some.)
///
/// A figure is the same on each machine in a JVM with [#FLAGS]. It compiles nothing, so nothing is
/// eliminated, and the size of a frame depends on its method only. The layout of objects is fixed.
public final class HeapHistogram {
  /// Flags of a JVM in which figures depend on the program only.
  public static final List<String> FLAGS =
      List.of(
          "-Xint",
          "-XX:+UseSerialGC",
          "-Xms256m",
          "-Xmx256m",
          "-Xmn160m", // room for all objects between two histograms of all
          "-XX:ObjectAlignmentInBytes=8",
          "-XX:+UseCompressedOops",
          "-XX:-UseCompactObjectHeaders");

  private static final long ALIGNMENT = 8;
  private static final String BEGIN = "one takes "; // what [#tell] prints
  private static final String END = "of one";

  /// A line of the JVM's histogram: rank, objects, bytes, class.
  private static final Pattern LINE =
      Pattern.compile("(?m)^\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+(\\S+)");

  private static final Pattern TOLD = Pattern.compile(BEGIN + "(\\d+) of (\\S+)");

  private final boolean hasGarbage;
  private final long collections;
  private final String text; // read later: what reading makes would be counted

  private HeapHistogram(boolean hasGarbage) throws JMException {
    this.hasGarbage = hasGarbage;
    Object[] options = {hasGarbage ? new String[] {"-all"} : new String[0]};
    this.text =
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram",
                options,
                new String[] {String[].class.getName()})
            .toString();
    this.collections =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(GarbageCollectorMXBean::getCollectionCount)
            .sum();
  }

  /// Objects that are in use: what something keeps.
  public static HeapHistogram live() throws JMException {
    return new HeapHistogram(false);
  }

  /// All objects since the last collection: what something allocates.
  public static HeapHistogram all() throws JMException {
    return new HeapHistogram(true);
  }

  private record Kind(long objects, long bytes) {
    static final Kind NONE = new Kind(0, 0);
  }

  private Map<String, Kind> kinds() {
    Map<String, Kind> kinds = new HashMap<>();
    for (MatchResult line : LINE.matcher(text).results().toList()) {
      Kind kind = new Kind(Long.parseLong(line.group(1)), Long.parseLong(line.group(2)));
      kinds.merge(
          withoutNumber(line.group(3)),
          kind,
          (a, b) -> new Kind(a.objects + b.objects, a.bytes + b.bytes));
    }
    return kinds;
  }

  /// Hidden classes have numbers of their own in each JVM.
  private static String withoutNumber(String type) {
    return type.replaceAll("Lambda/0x\\p{XDigit}+", "Lambda").replaceAll("@[\\d.]+.*", "");
  }

  /// What one of `number` has added since `before`, in bytes by class.
  public Map<String, Long> ofOne(HeapHistogram before, int number) {
    if (hasGarbage && collections != before.collections) {
      throw new IllegalStateException("a collection came between the two histograms");
    }
    Map<String, Kind> old = before.kinds();
    Map<String, Long> bytes = new TreeMap<>();
    kinds()
        .forEach((type, kind) -> {
          Kind was = old.getOrDefault(type, Kind.NONE);
          if (Math.round((double) (kind.objects - was.objects) / number) > 0) {
            bytes.put(type, size(kind.bytes - was.bytes, number));
          }
        });
    return bytes;
  }

  /// The nearest size that objects can have: what else the JVM makes and drops meanwhile is less.
  private static long size(long bytes, int number) {
    return ALIGNMENT * Math.round((double) bytes / number / ALIGNMENT);
  }

  /// Prints what one takes, for the JVM that has started this one.
  public static void tell(Map<String, Long> bytes) {
    bytes.forEach((type, of) -> System.out.println(BEGIN + of + " of " + type));
    System.out.println(END);
  }

  /// What a JVM told.
  ///
  /// @throws AssertionError when it did not
  public static Map<String, Long> told(String output) {
    if (!output.contains(END)) {
      throw new AssertionError("the JVM told nothing:\n" + output);
    }
    Map<String, Long> bytes = new TreeMap<>();
    TOLD.matcher(output).results().forEach(l -> bytes.put(l.group(2), Long.parseLong(l.group(1))));
    return bytes;
  }

  /// All together.
  public static long sum(Map<String, Long> bytes) {
    return bytes.values().stream().mapToLong(Long::longValue).sum();
  }
}
