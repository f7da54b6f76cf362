// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.libraries;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/// The warnings of one logger, for what a library says nowhere else.
final class Warnings {
  private final Queue<String> texts = new ConcurrentLinkedQueue<>();

  private Warnings() {}

  /// Listens to a logger, which then says nothing elsewhere.
  static Warnings of(String name) {
    Warnings warnings = new Warnings();
    AppenderBase<ILoggingEvent> appender =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            warnings.texts.add(event.getFormattedMessage());
          }
        };
    appender.start();
    Logger logger = (Logger) LoggerFactory.getLogger(name);
    logger.setLevel(Level.WARN);
    logger.setAdditive(false);
    logger.addAppender(appender);
    return warnings;
  }

  /// Those since the last call.
  List<String> take() {
    List<String> taken = List.copyOf(texts);
    texts.clear();
    return taken;
  }
}
