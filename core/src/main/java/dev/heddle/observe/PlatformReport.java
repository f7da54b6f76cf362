// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import dev.heddle.os.spawn.PosixSpawn;
import dev.heddle.reactor.Drivers;
import dev.heddle.reactor.driver.DriverProvider;
import dev.heddle.scheduler.context.MonitorRetry;
import dev.heddle.scheduler.context.TimedWaits;
import dev.heddle.scheduler.context.VirtualThreads;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Whether and how Heddle runs on this JVM; the output of `heddle doctor`.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=platform}
///
/// @param javaVersion the JVM's version and vendor
/// @param hookProblem why loops cannot start, and the remedy; null if they can
/// @param flag the command-line flag that Heddle needs here
/// @param drivers the reactor's drivers, best first, each with its state
/// @param activeDriver the driver that loops use
/// @param driverReason why it was chosen
/// @param children how child processes are started, and why
/// @param warnings known defects of this JDK version that affect Heddle
/// @since 0.1
public record PlatformReport(
    String javaVersion,
    @Nullable String hookProblem,
    String flag,
    List<DriverStatus> drivers,
    String activeDriver,
    String driverReason,
    String children,
    List<String> warnings) {

  /// A driver of the reactor.
  ///
  /// @param name as in `heddle.driver`
  /// @param available whether a loop could use it now
  /// @param reason why, or why not
  public record DriverStatus(String name, boolean available, String reason) {}

  private static final int FIXED_HANDOVER_UPDATE = 4; // the first 25 update with JDK-8373120

  /// Examines this JVM.
  public static PlatformReport probe() {
    String asked = System.getProperty("heddle.driver", Drivers.AUTO);
    return new PlatformReport(
        Runtime.version() + " (" + System.getProperty("java.vendor") + ")",
        VirtualThreads.problem(),
        VirtualThreads.flag(),
        Drivers.offered().stream().map(PlatformReport::status).toList(),
        Drivers.choose(asked).name(),
        asked.equals(Drivers.AUTO)
            ? "the best that works here"
            : "asked for by -Dheddle.driver=" + asked,
        PosixSpawn.how(),
        warnings(Runtime.version()));
  }

  private static DriverStatus status(DriverProvider driver) {
    String problem = driver.problem();
    return problem == null
        ? new DriverStatus(driver.name(), true, driver.description())
        : new DriverStatus(driver.name(), false, problem);
  }

  private static @Nullable String problemOfTimedWaits() {
    try {
      return TimedWaits.problem();
    } catch (IllegalArgumentException e) {
      return e.getMessage(); // a loop refuses it; a report says it
    }
  }

  private static List<String> warnings(Runtime.Version version) {
    List<String> found = new ArrayList<>();
    String timers = VirtualThreads.problem() == null ? problemOfTimedWaits() : null;
    if (timers != null) {
      found.add(timers);
    }
    String monitors = VirtualThreads.problem() == null ? MonitorRetry.problem() : null;
    if (monitors != null) {
      found.add(monitors);
    }
    if (version.feature() == 25 && version.update() < FIXED_HANDOVER_UPDATE) {
      found.add(
          "JDK-8373120: the hand-over of a contended monitor between virtual threads can be lost;"
              + " rare; prefer ReentrantLock where coroutines contend until a later update of 25 is"
              + " installed");
    }
    if (version.feature() == 25) {
      found.add(
          "JDK-8364343: a thread dump into a file (jcmd Thread.dump_to_file,"
              + " HotSpotDiagnosticMXBean.dumpThreads) can end this JVM while virtual threads run,"
              + " Heddle's or others; take heddle dump, or jcmd Thread.print");
    }
    if (version.feature() > 25) {
      found.add(
          "Java %s is newer than the versions that Heddle is tested on (25 updates)"
              .formatted(version.feature()));
    }
    return found;
  }
}
