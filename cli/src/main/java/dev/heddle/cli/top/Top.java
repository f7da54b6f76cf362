// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.attach.Watch;
import dev.heddle.cli.look.Look;
import dev.heddle.cli.look.Looker;
import dev.heddle.cli.look.RecentDelays;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/// Watches a JVM: on a screen where there is a terminal, else as tables.
public final class Top {
  private final Watch watch;
  private final Duration interval;

  /// @param watch is closed at the end
  public Top(Watch watch, Duration interval) {
    this.watch = watch;
    this.interval = interval;
  }

  /// Shows it on the terminal of this process.
  ///
  /// @return whether there is a terminal that can; else nothing was shown
  /// @throws AttachException when the JVM has ended meanwhile, after the screen was left
  public boolean live() throws AttachException, IOException {
    try (LiveScreen screen = LiveScreen.open()) {
      if (screen == null) {
        return false;
      }
      try (Looker looker = new Looker(watch, interval.toNanos())) {
        AttachException end = screen.run(looker);
        if (end != null) {
          throw end;
        }
      }
      return true;
    }
  }

  /// Prints a table for each interval, without any terminal commands, until the JVM ends or nobody
  /// reads them. Without end it also waits for a JVM that is stopped, and says so.
  ///
  /// @param tables how many; 0: without end
  public void tables(PrintWriter out, int tables) throws AttachException {
    try (watch) {
      if (tables == 0) {
        watch.waitOn(text -> {
          if (!text.isEmpty()) {
            out.println(text + "\n");
            out.flush();
          }
        });
      }
      RecentDelays delays = new RecentDelays(interval.toNanos());
      Look before = Look.at(watch);
      delays.narrow(before);
      for (int i = 0; tables == 0 || i < tables; i++) {
        LockSupport.parkNanos(interval.toNanos());
        for (Look.Seen each : before.seen()) {
          watch.probe(each.number());
        }
        Look now = Look.at(watch);
        delays.narrow(now);
        out.println(Titles.of(now));
        Page.of(now, before, Order.COUNT, "").forEach(line -> out.println(line.text()));
        out.println();
        if (out.checkError() || System.out.checkError()) { // picocli's writer hides its stream's
          return; // nobody reads any more, as behind `| head`
        }
        before = now;
      }
    }
  }
}
