// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// Collects what loops report to the operator while it is open.
final class Reports extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("dev.heddle");
  private final List<LogRecord> records = new ArrayList<>();

  Reports() {
    logger.addHandler(this);
    logger.setUseParentHandlers(false);
  }

  List<Throwable> failures() {
    return records.stream().map(LogRecord::getThrown).toList();
  }

  List<String> messages() {
    return records.stream().map(LogRecord::getMessage).toList();
  }

  @Override
  public void publish(LogRecord record) {
    records.add(record);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}
