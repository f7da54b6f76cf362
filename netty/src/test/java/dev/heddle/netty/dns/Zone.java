// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What a name server of the tests knows: DNS messages, written by hand.
final class Zone {
  static final int A = 1;
  static final int CNAME = 5;
  static final int SOA = 6;
  static final int PTR = 12;
  static final int TXT = 16;
  static final int AAAA = 28;
  static final int SRV = 33;

  private static final int NXDOMAIN = 3;
  private static final int MOST_BY_UDP = 512;

  /// What is asked, as it came.
  @SuppressWarnings("ArrayRecordComponent") // it is read, never compared
  record Asked(byte[] message, String name, int type, boolean tcp) {
    @Override
    public String toString() {
      return name + " " + type + (tcp ? " tcp" : "");
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // it is read, never compared
  private record Entry(String owner, int type, int ttl, byte[] data) {}

  private final Map<String, List<Entry>> entries = new TreeMap<>();
  private int authorityTtl = 60; // of "there is none"; below zero: not said

  Zone address(String name, int ttl, String... addresses) {
    for (String text : addresses) {
      byte[] bytes = InetAddress.ofLiteral(text).getAddress();
      add(name, bytes.length == 4 ? A : AAAA, ttl, bytes);
    }
    return this;
  }

  Zone alias(String name, int ttl, String target) {
    return add(name, CNAME, ttl, name(target));
  }

  Zone pointer(String name, String target) {
    return add(name, PTR, 60, name(target));
  }

  Zone service(String name, int ttl, int priority, int weight, int port, String target) {
    byte[] numbers = {
      (byte) (priority >> 8),
      (byte) priority,
      (byte) (weight >> 8),
      (byte) weight,
      (byte) (port >> 8),
      (byte) port
    };
    return add(name, SRV, ttl, joined(numbers, name(target)));
  }

  Zone text(String name, int ttl, String... strings) {
    byte[] data = {};
    for (String string : strings) {
      byte[] bytes = string.getBytes(StandardCharsets.UTF_8);
      data = joined(data, joined(new byte[] {(byte) bytes.length}, bytes));
    }
    return add(name, TXT, ttl, data);
  }

  /// Says for how long "there is none" may be kept; below zero: says nothing.
  Zone authority(int ttl) {
    authorityTtl = ttl;
    return this;
  }

  private synchronized Zone add(String name, int type, int ttl, byte[] data) {
    entries.computeIfAbsent(name, _ -> new ArrayList<>()).add(new Entry(name, type, ttl, data));
    return this;
  }

  synchronized void remove(String name) {
    entries.remove(name);
  }

  static Asked asked(byte[] message, boolean tcp) {
    StringBuilder name = new StringBuilder();
    int at = 12;
    for (int length = message[at]; length > 0; length = message[at]) {
      String label = new String(message, at + 1, length, StandardCharsets.US_ASCII);
      name.append(name.isEmpty() ? "" : ".").append(label);
      at += 1 + length;
    }
    return new Asked(message, name.toString(), message[at + 1] << 8 | message[at + 2], tcp);
  }

  /// The answer, as a server gives it that follows aliases.
  synchronized byte[] answer(Asked asked) {
    List<Entry> found = new ArrayList<>();
    String name = asked.name();
    boolean known = entries.containsKey(name);
    for (int hop = 0; hop < 20 && name != null; hop++) {
      String next = null;
      for (Entry entry : entries.getOrDefault(name, List.of())) {
        if (entry.type() == asked.type()) {
          found.add(entry);
        } else if (entry.type() == CNAME) {
          found.add(entry);
          next = asked(joined(new byte[12], joined(entry.data(), new byte[4])), false).name();
        }
      }
      name = next;
    }
    boolean none = found.stream().noneMatch(entry -> entry.type() == asked.type());
    byte[] whole = message(asked, known ? 0 : NXDOMAIN, found, none && authorityTtl >= 0, false);
    return whole.length > MOST_BY_UDP && !asked.tcp()
        ? message(asked, 0, List.of(), false, true)
        : whole;
  }

  /// A refusal by its code.
  static byte[] refusal(Asked asked, int code) {
    return new Zone().message(asked, code, List.of(), false, false);
  }

  /// An answer of which the rest was cut off.
  static byte[] cutShort(byte[] answer) {
    byte[] cut = answer.clone();
    cut[2] |= 2;
    return cut;
  }

  private byte[] message(
      Asked asked, int code, List<Entry> found, boolean authority, boolean truncated) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.write(asked.message(), 0, 2);
      out.writeShort(0x8180 | code | (truncated ? 0x200 : 0));
      out.writeShort(1);
      out.writeShort(found.size());
      out.writeShort(authority ? 1 : 0);
      out.writeShort(0);
      out.write(name(asked.name()));
      out.writeShort(asked.type());
      out.writeShort(1);
      for (Entry entry : found) {
        write(out, entry);
      }
      if (authority) {
        byte[] names = joined(name("ns.test"), name("admin.test"));
        byte[] numbers = new byte[20];
        numbers[18] = (byte) (authorityTtl >> 8);
        numbers[19] = (byte) authorityTtl;
        write(out, new Entry("test", SOA, 3_600, joined(names, numbers)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, Entry entry) throws IOException {
    out.write(name(entry.owner()));
    out.writeShort(entry.type());
    out.writeShort(1);
    out.writeInt(entry.ttl());
    out.writeShort(entry.data().length);
    out.write(entry.data());
  }

  private static byte[] name(String name) {
    byte[] bytes = {};
    for (String label : name.isEmpty() ? new String[0] : name.split("\\.")) {
      byte[] text = label.getBytes(StandardCharsets.US_ASCII);
      bytes = joined(bytes, joined(new byte[] {(byte) text.length}, text));
    }
    return joined(bytes, new byte[1]);
  }

  private static byte[] joined(byte[] one, byte[] other) {
    byte[] both = java.util.Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }
}
