// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis.log;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/// A logger of SLF4J as the System.Logger of the same name.
///
/// A warning or an error of Ratis is logged as `DEBUG`, all else as `TRACE`: a voter that cannot be
/// reached is nothing unusual, and Ratis says it at each try. What users should know, the module
/// logs itself.
final class SystemLog extends LegacyAbstractLogger {
  private static final long serialVersionUID = 1L;

  private final transient System.Logger logger;

  SystemLog(String name) {
    this.name = name;
    this.logger = System.getLogger(name);
  }

  @Override
  protected @Nullable String getFullyQualifiedCallerName() {
    return null;
  }

  @Override
  protected void handleNormalizedLoggingCall(
      org.slf4j.event.Level level,
      @Nullable Marker marker,
      String pattern,
      Object @Nullable [] arguments,
      @Nullable Throwable thrown) {
    String text = MessageFormatter.basicArrayFormat(pattern, arguments);
    logger.log(levelOf(level), () -> text, thrown);
  }

  private static Level levelOf(org.slf4j.event.Level level) {
    return switch (level) {
      case ERROR, WARN -> Level.DEBUG;
      case INFO, DEBUG, TRACE -> Level.TRACE;
    };
  }

  @Override
  public boolean isTraceEnabled() {
    return logger.isLoggable(Level.TRACE);
  }

  @Override
  public boolean isDebugEnabled() {
    return isTraceEnabled();
  }

  @Override
  public boolean isInfoEnabled() {
    return isTraceEnabled();
  }

  @Override
  public boolean isWarnEnabled() {
    return logger.isLoggable(Level.DEBUG);
  }

  @Override
  public boolean isErrorEnabled() {
    return isWarnEnabled();
  }
}
