// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.attach;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/// What goes through the pipes between an observer and the observed JVM.
///
/// The observed JVM begins with an unrequested answer, its greeting. Then it answers each question
/// with values, as many as there are, and an end: a feed is an answer whose end the observer does
/// not wait for. A question is its length in bytes and its text in UTF-8; of an answer, each frame
/// is a kind, a length and bytes, and a value may take several frames.
///
/// An observer that asks [#FAREWELL] gets one more frame, between others, when that JVM begins to
/// shut down. So it can tell a JVM that has shut down from one that was killed.
public final class Frames {
  /// The version of all this, in the greeting. A later one may add questions and keys; a reader
  /// ignores keys that it does not know.
  public static final int PROTOCOL = 1;

  private static final int PART = 'p'; // of a value: more of it follows
  private static final int VALUE = 'v'; // the last part of a value
  private static final int END = 'e'; // of the answer
  private static final int FAILED = 'x'; // the end of an answer that cannot be given, and why
  private static final int BYE = 'b'; // of no answer: the observed JVM shuts down

  /// The question after which the observed JVM says when it shuts down; its answer has no values.
  public static final String FAREWELL = "farewell";

  private static final int LONGEST_QUESTION = 1 << 16; // bytes
  private static final int LONGEST_PART = 1 << 15; // bytes: half of what a pipe of Linux holds

  private Frames() {}

  // ---- questions ----

  public static void ask(DataOutputStream out, String question) throws IOException {
    byte[] bytes = question.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
    out.flush();
  }

  /// Reads a question; null when the observer has left.
  static @Nullable String question(DataInputStream in) throws IOException {
    int length;
    try {
      length = in.readInt();
    } catch (EOFException _) {
      return null;
    }
    if (length < 0 || length > LONGEST_QUESTION) {
      throw new IOException("a question of " + length + " bytes");
    }
    return new String(in.readNBytes(length), StandardCharsets.UTF_8);
  }

  // ---- answers ----

  static void value(DataOutputStream out, String value) throws IOException {
    value(out, value.getBytes(StandardCharsets.UTF_8));
  }

  static void value(DataOutputStream out, byte[] bytes) throws IOException {
    int from = 0;
    for (; bytes.length - from > LONGEST_PART; from += LONGEST_PART) {
      frame(out, PART, bytes, from, LONGEST_PART);
    }
    frame(out, VALUE, bytes, from, bytes.length - from);
    out.flush();
  }

  static void end(DataOutputStream out) throws IOException {
    frame(out, END, new byte[0], 0, 0);
    out.flush();
  }

  static void failed(DataOutputStream out, String why) throws IOException {
    byte[] bytes = why.getBytes(StandardCharsets.UTF_8);
    frame(out, FAILED, bytes, 0, Math.min(bytes.length, LONGEST_PART));
    out.flush();
  }

  static void bye(DataOutputStream out) throws IOException {
    frame(out, BYE, new byte[0], 0, 0);
    out.flush();
  }

  private static void frame(DataOutputStream out, int kind, byte[] bytes, int from, int length)
      throws IOException {
    out.writeByte(kind);
    out.writeInt(length);
    out.write(bytes, from, length);
  }

  /// Reads the next value of an answer to an observer that has not asked for a farewell.
  static @Nullable String next(DataInputStream in) throws IOException {
    return next(in, () -> {});
  }

  /// Reads the next value of an answer.
  ///
  /// @param farewell called when the observed JVM says that it shuts down; it answers still
  /// @return null at the end of the answer
  /// @throws EOFException when the observed JVM has ended, or has closed the pipe
  /// @throws AnswerFailedException when it says that it cannot answer
  public static @Nullable String next(DataInputStream in, Runnable farewell) throws IOException {
    byte[] value = nextBytes(in, farewell);
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }

  /// As [#next(DataInputStream, Runnable)], of a value that is no text.
  public static byte @Nullable [] nextBytes(DataInputStream in, Runnable farewell)
      throws IOException {
    ByteArrayOutputStream value = new ByteArrayOutputStream();
    while (true) {
      int kind = in.readUnsignedByte();
      byte[] bytes = part(in);
      switch (kind) {
        case PART -> value.writeBytes(bytes);
        case VALUE -> {
          value.writeBytes(bytes);
          return value.toByteArray();
        }
        case END -> {
          return null;
        }
        case BYE -> farewell.run();
        case FAILED -> throw new AnswerFailedException(new String(bytes, StandardCharsets.UTF_8));
        default -> throw new IOException("a frame of kind " + kind);
      }
    }
  }

  private static byte[] part(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > LONGEST_PART) {
      throw new IOException("a frame of " + length + " bytes");
    }
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    return bytes;
  }

  /// The observed JVM cannot answer; the message says why.
  public static final class AnswerFailedException extends IOException {
    private static final long serialVersionUID = 1;

    AnswerFailedException(String why) {
      super(why);
    }
  }

  // ---- values ----

  static String written(Map<String, String> fields) throws IOException {
    Properties properties = new Properties();
    properties.putAll(fields);
    StringWriter text = new StringWriter();
    properties.store(text, null);
    return text.toString();
  }

  public static Properties read(String value) throws IOException {
    Properties properties = new Properties();
    properties.load(new StringReader(value));
    return properties;
  }
}
