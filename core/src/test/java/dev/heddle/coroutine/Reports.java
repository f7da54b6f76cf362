// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// Collects what loops report to the operator, from any thread, while it is open; but for
/// coroutines that hold their loop, which all do on a machine that is slow enough.
public final class Reports implements AutoCloseable {
  private final Logger logger = Logger.getLogger("dev.heddle");
  private final Collector collector = new Collector();

  /// From now on.
  public Reports() {
    logger.addHandler(collector);
    logger.setUseParentHandlers(false);
  }

  /// What was thrown, report by report.
  public List<Throwable> failures() {
    return collector.records.stream().map(LogRecord::getThrown).toList();
  }

  /// The reports' texts.
  public List<String> messages() {
    return collector.records.stream().map(LogRecord::getMessage).toList();
  }

  @Override
  public void close() {
    logger.removeHandler(collector);
    logger.setUseParentHandlers(true);
  }

  private static final class Collector extends Handler {
    final List<LogRecord> records = new CopyOnWriteArrayList<>();

    @Override
    public void publish(LogRecord record) {
      if (!record.getMessage().contains(" has held the loop '")) {
        records.add(record);
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
