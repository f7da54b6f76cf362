// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.capture;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Replaces `System.out` or `System.err`: delegates each call to the open capture of the current
/// coroutine, else to the original stream.
///
/// Every public method is delegated unchanged, so a custom original stream gets the same calls as
/// without this one, and each stream keeps its own lock and encoder state. Nothing is written to
/// this object itself.
@SuppressWarnings("AnnotateFormatMethod") // the format is checked in the caller
final class DispatchingStream extends PrintStream {
  private final PrintStream below;
  private final Supplier<@Nullable PrintStream> current;

  /// @param current supplies the open capture of the current coroutine; null: none
  DispatchingStream(PrintStream below, Supplier<@Nullable PrintStream> current) {
    super(below, false, below.charset());
    this.below = below;
    this.current = current;
  }

  PrintStream below() {
    return below;
  }

  private PrintStream to() {
    PrintStream open = current.get();
    return open == null ? below : open;
  }

  @Override
  public void flush() {
    to().flush();
  }

  @Override
  public void close() {
    to().close();
  }

  @Override
  public boolean checkError() {
    return to().checkError();
  }

  @Override
  public Charset charset() {
    return to().charset();
  }

  @Override
  public void write(int b) {
    to().write(b);
  }

  @Override
  public void write(byte[] bytes, int from, int length) {
    to().write(bytes, from, length);
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    to().write(bytes);
  }

  @Override
  public void writeBytes(byte[] bytes) {
    to().writeBytes(bytes);
  }

  @Override
  public void print(boolean value) {
    to().print(value);
  }

  @Override
  public void print(char value) {
    to().print(value);
  }

  @Override
  public void print(int value) {
    to().print(value);
  }

  @Override
  public void print(long value) {
    to().print(value);
  }

  @Override
  public void print(float value) {
    to().print(value);
  }

  @Override
  public void print(double value) {
    to().print(value);
  }

  @Override
  public void print(char[] value) {
    to().print(value);
  }

  @Override
  public void print(@Nullable String value) {
    to().print(value);
  }

  @Override
  public void print(@Nullable Object value) {
    to().print(value);
  }

  @Override
  public void println() {
    to().println();
  }

  @Override
  public void println(boolean value) {
    to().println(value);
  }

  @Override
  public void println(char value) {
    to().println(value);
  }

  @Override
  public void println(int value) {
    to().println(value);
  }

  @Override
  public void println(long value) {
    to().println(value);
  }

  @Override
  public void println(float value) {
    to().println(value);
  }

  @Override
  public void println(double value) {
    to().println(value);
  }

  @Override
  public void println(char[] value) {
    to().println(value);
  }

  @Override
  public void println(@Nullable String value) {
    to().println(value);
  }

  @Override
  public void println(@Nullable Object value) {
    to().println(value);
  }

  @Override
  public PrintStream printf(String format, @Nullable Object... args) {
    to().printf(format, args);
    return this;
  }

  @Override
  public PrintStream printf(@Nullable Locale locale, String format, @Nullable Object... args) {
    to().printf(locale, format, args);
    return this;
  }

  @Override
  public PrintStream format(String format, @Nullable Object... args) {
    to().format(format, args);
    return this;
  }

  @Override
  public PrintStream format(@Nullable Locale locale, String format, @Nullable Object... args) {
    to().format(locale, format, args);
    return this;
  }

  @Override
  public PrintStream append(@Nullable CharSequence text) {
    to().append(text);
    return this;
  }

  @Override
  public PrintStream append(@Nullable CharSequence text, int from, int end) {
    to().append(text, from, end);
    return this;
  }

  @Override
  public PrintStream append(char value) {
    to().append(value);
    return this;
  }
}
