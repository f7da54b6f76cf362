// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.util.IllegalFormatException;
import java.util.Locale;
import org.jgroups.logging.CustomLogFactory;
import org.jgroups.logging.Log;
import org.jgroups.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/// The log of JGroups, as a System.Logger of the same name.
///
/// What JGroups warns of is a rumour to this module: a warning or an error of JGroups is logged as
/// `DEBUG`, all else as `TRACE`. What users should know, this module logs itself.
final class JGroupsLog implements Log {
  private final System.Logger logger;

  private JGroupsLog(String category) {
    logger = System.getLogger(category);
  }

  /// Makes JGroups log here, unless the program has chosen another factory. JGroups has one factory
  /// for the whole JVM, and its classes ask it when they are initialised: call this before any of
  /// them is used.
  static synchronized void install() {
    if (LogFactory.getCustomLogFactory() == null) {
      LogFactory.setCustomLogFactory(new Factory());
    }
  }

  private static final class Factory implements CustomLogFactory {
    @Override
    public Log getLog(Class<?> type) {
      return new JGroupsLog(type.getName());
    }

    @Override
    public Log getLog(String category) {
      return new JGroupsLog(category);
    }
  }

  private void log(
      System.Logger.Level level, String format, Object[] args, @Nullable Throwable thrown) {
    if (!logger.isLoggable(level)) {
      return;
    }
    String text = format;
    try {
      text = args.length == 0 ? format : String.format(Locale.ROOT, format, args);
    } catch (IllegalFormatException e) {
      // safe: the text without its values is still worth a line
    }
    logger.log(level, text, thrown);
  }

  private void debug(String format, Object[] args, @Nullable Throwable thrown) {
    log(System.Logger.Level.DEBUG, format, args, thrown);
  }

  private void detail(String format, Object[] args, @Nullable Throwable thrown) {
    log(System.Logger.Level.TRACE, format, args, thrown);
  }

  @Override
  public boolean isFatalEnabled() {
    return logger.isLoggable(System.Logger.Level.DEBUG);
  }

  @Override
  public boolean isErrorEnabled() {
    return logger.isLoggable(System.Logger.Level.DEBUG);
  }

  @Override
  public boolean isWarnEnabled() {
    return logger.isLoggable(System.Logger.Level.DEBUG);
  }

  @Override
  public boolean isInfoEnabled() {
    return isTraceEnabled();
  }

  @Override
  public boolean isDebugEnabled() {
    return isTraceEnabled();
  }

  @Override
  public boolean isTraceEnabled() {
    return logger.isLoggable(System.Logger.Level.TRACE);
  }

  @Override
  public void fatal(String text) {
    debug(text, NONE, null);
  }

  @Override
  public void fatal(String format, Object... args) {
    debug(format, args, null);
  }

  @Override
  public void fatal(String text, Throwable thrown) {
    debug(text, NONE, thrown);
  }

  @Override
  public void error(String text) {
    debug(text, NONE, null);
  }

  @Override
  public void error(String format, Object... args) {
    debug(format, args, null);
  }

  @Override
  public void error(String text, Throwable thrown) {
    debug(text, NONE, thrown);
  }

  @Override
  public void warn(String text) {
    debug(text, NONE, null);
  }

  @Override
  public void warn(String format, Object... args) {
    debug(format, args, null);
  }

  @Override
  public void warn(String text, Throwable thrown) {
    debug(text, NONE, thrown);
  }

  @Override
  public void info(String text) {
    detail(text, NONE, null);
  }

  @Override
  public void info(String format, Object... args) {
    detail(format, args, null);
  }

  @Override
  public void debug(String text) {
    detail(text, NONE, null);
  }

  @Override
  public void debug(String format, Object... args) {
    detail(format, args, null);
  }

  @Override
  public void debug(String text, Throwable thrown) {
    detail(text, NONE, thrown);
  }

  @Override
  public void trace(Object value) {
    detail(String.valueOf(value), NONE, null);
  }

  @Override
  public void trace(String text) {
    detail(text, NONE, null);
  }

  @Override
  public void trace(String format, Object... args) {
    detail(format, args, null);
  }

  @Override
  public void trace(String text, Throwable thrown) {
    detail(text, NONE, thrown);
  }

  private static final Object[] NONE = {};

  /// Levels belong to the System.Logger of this name.
  @Override
  public void setLevel(String level) {
    throw new UnsupportedOperationException("set the level of the logger " + logger.getName());
  }

  @Override
  public String getLevel() {
    return isTraceEnabled() ? "trace" : isWarnEnabled() ? "warn" : "off";
  }
}
