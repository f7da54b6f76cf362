// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.bridge;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// What is reported to the operator while it is open, from any thread.
final class LogRecords extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("dev.heddle");
  private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

  private LogRecords() {
    logger.addHandler(this);
  }

  static LogRecords open() {
    return new LogRecords();
  }

  /// Waits for a message with this text; the test's own limit bounds it.
  String await(String text) throws InterruptedException {
    String message = messages.take();
    while (!message.contains(text)) {
      message = messages.take();
    }
    return message;
  }

  @Override
  public void publish(LogRecord record) {
    messages.add(record.getMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
