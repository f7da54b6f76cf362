// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.source;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/// Whether this JVM runs preview features of the language (`--enable-preview`, wherever it was
/// given): tested by loading a class that needs it, as the JDK has no method for it.
final class Preview extends ClassLoader {
  private static final int MAGIC = 0xCAFEBABE;
  private static final int FIRST_MAJOR = 44; // of Java 0: that of Java 25 is 69
  private static final int PREVIEW = 0xFFFF; // the minor version of what uses preview features
  private static final int CLASS_ENTRY = 7;
  private static final int TEXT_ENTRY = 1;
  private static final int ACC_SUPER = 0x20;

  private Preview() {
    super("preview", null);
  }

  static boolean isEnabled() {
    byte[] needsIt = emptyClass();
    try {
      return new Preview().defineClass(null, needsIt, 0, needsIt.length) != null;
    } catch (UnsupportedClassVersionError _) {
      return false;
    }
  }

  private static byte[] emptyClass() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(MAGIC);
      out.writeShort(PREVIEW);
      out.writeShort(FIRST_MAJOR + Runtime.version().feature());
      out.writeShort(5); // entries of the constant pool, and one
      out.writeByte(CLASS_ENTRY);
      out.writeShort(2);
      out.writeByte(TEXT_ENTRY);
      out.writeUTF("Probe");
      out.writeByte(CLASS_ENTRY);
      out.writeShort(4);
      out.writeByte(TEXT_ENTRY);
      out.writeUTF("java/lang/Object");
      out.writeShort(ACC_SUPER);
      out.writeShort(1); // this class
      out.writeShort(3); // its superclass
      out.writeLong(0); // neither interfaces, fields, methods nor attributes
    } catch (IOException e) {
      throw new UncheckedIOException(e); // no memory stream throws it
    }
    return bytes.toByteArray();
  }
}
