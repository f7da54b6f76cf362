// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import static java.util.concurrent.TimeUnit.MINUTES;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/// The warnings of the cluster, as they come.
public final class LogLines extends Handler implements AutoCloseable {
  private static final SimpleFormatter FORMAT = new SimpleFormatter();

  private final Logger logger = Logger.getLogger("dev.heddle.cluster");
  private final BlockingQueue<String> next = new LinkedBlockingQueue<>();
  private final List<String> all = new CopyOnWriteArrayList<>();

  public LogLines() {
    logger.addHandler(this);
    logger.setUseParentHandlers(false);
  }

  @Override
  public void publish(LogRecord line) {
    if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
      String text = FORMAT.formatMessage(line);
      all.add(text);
      next.add(text);
    }
  }

  /// Waits for a line that contains all of these.
  public String waitFor(String... parts) throws InterruptedException {
    while (true) {
      for (String line : all) {
        if (Arrays.stream(parts).allMatch(line::contains)) {
          return line;
        }
      }
      if (next.poll(2, MINUTES) == null) {
        throw new AssertionError("no line with " + List.of(parts) + " among " + all);
      }
    }
  }

  public List<String> all() {
    return all;
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}
