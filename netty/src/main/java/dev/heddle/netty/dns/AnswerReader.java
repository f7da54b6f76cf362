// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import dev.heddle.io.SrvRecord;
import dev.heddle.io.TxtRecord;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.dns.DefaultDnsRecordDecoder;
import io.netty.handler.codec.dns.DnsPtrRecord;
import io.netty.handler.codec.dns.DnsRawRecord;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponse;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads a name server's response.
final class AnswerReader {
  private static final int MOST_ALIASES = 16; // in one response; more count as a cycle
  private static final int SOA_NUMBERS = 16; // bytes of the first four numbers

  private final DnsResponse response;
  private final Question question;
  private final Map<String, List<DnsRecord>> wanted = new HashMap<>();
  private final Map<String, DnsRecord> aliases = new HashMap<>();

  private AnswerReader(DnsResponse response, Question question) {
    this.response = response;
    this.question = question;
  }

  /// The answer that a response gives to a question.
  ///
  /// @throws RuntimeException when the response is malformed
  static Answer read(DnsResponse response, Question question) {
    return new AnswerReader(response, question).answer();
  }

  private Answer answer() {
    DnsResponseCode code = response.code();
    if (code.equals(DnsResponseCode.NXDOMAIN)) {
      return new Answer.None("there is no such name", ttlOfNone());
    }
    if (!code.equals(DnsResponseCode.NOERROR)) {
      return new Answer.Failed("answers " + code, false);
    }
    sort();
    Answer answer = follow();
    return response.isTruncated() ? beginningOf(answer) : answer;
  }

  /// The answer of a truncated message: some of a host's addresses are enough to reach it, but are
  /// not cached. Other incomplete answers count as failures.
  private Answer beginningOf(Answer answer) {
    boolean isOfAddresses =
        question.type().equals(DnsRecordType.A) || question.type().equals(DnsRecordType.AAAA);
    return isOfAddresses && answer instanceof Answer.Found some
        ? new Answer.Found(some.values(), 0)
        : new Answer.Failed("has a longer answer but does not send it by TCP", true);
  }

  private void sort() {
    for (int i = 0; i < response.count(DnsSection.ANSWER); i++) {
      DnsRecord record = response.recordAt(DnsSection.ANSWER, i);
      if (record.type().equals(question.type())) {
        wanted.computeIfAbsent(plain(record.name()), _ -> new ArrayList<>()).add(record);
      } else if (record.type().equals(DnsRecordType.CNAME)) {
        aliases.put(plain(record.name()), record);
      }
    }
  }

  private Answer follow() {
    String name = question.name();
    long ttl = Long.MAX_VALUE;
    for (int i = 0; i < MOST_ALIASES; i++) {
      List<DnsRecord> records = wanted.getOrDefault(name, List.of());
      List<Object> values = new ArrayList<>();
      for (DnsRecord record : records) {
        Object value = value(record);
        if (value != null && !values.contains(value)) {
          values.add(value);
        }
        ttl = Math.min(ttl, record.timeToLive());
      }
      if (!values.isEmpty()) {
        return new Answer.Found(List.copyOf(values), ttl);
      }
      DnsRecord alias = aliases.get(name);
      if (alias == null) {
        return end(name, ttl);
      }
      name = plain(DefaultDnsRecordDecoder.decodeName(content(alias)));
      ttl = Math.min(ttl, alias.timeToLive());
    }
    return new Answer.None("its aliases form a cycle", 0);
  }

  /// The answer at the end of an alias chain without records of the type.
  private Answer end(String name, long ttl) {
    boolean isOther = !name.equals(question.name()) && soa() == null;
    return isOther
        ? new Answer.Alias(name, ttl)
        : new Answer.None("it has no " + question.type().name() + " record", ttlOfNone());
  }

  /// The TTL of a negative answer: that of the zone's SOA record (RFC 2308); without one, the
  /// answer is not cached.
  private long ttlOfNone() {
    DnsRecord soa = soa();
    if (soa == null) {
      return 0;
    }
    ByteBuf content = content(soa);
    var _ = DefaultDnsRecordDecoder.decodeName(content); // primary name server
    var _ = DefaultDnsRecordDecoder.decodeName(content); // mail address
    return Math.min(soa.timeToLive(), content.skipBytes(SOA_NUMBERS).readUnsignedInt());
  }

  private @Nullable DnsRecord soa() {
    for (int i = 0; i < response.count(DnsSection.AUTHORITY); i++) {
      DnsRecord record = response.recordAt(DnsSection.AUTHORITY, i);
      if (record.type().equals(DnsRecordType.SOA)) {
        return record;
      }
    }
    return null;
  }

  private @Nullable Object value(DnsRecord record) {
    if (record instanceof DnsPtrRecord pointer) {
      return plain(pointer.hostname());
    }
    ByteBuf content = content(record);
    Duration ttl = Duration.ofSeconds(record.timeToLive());
    if (question.type().equals(DnsRecordType.SRV)) {
      int priority = content.readUnsignedShort();
      int weight = content.readUnsignedShort();
      int port = content.readUnsignedShort();
      String target = plain(DefaultDnsRecordDecoder.decodeName(content));
      return new SrvRecord(target, port, priority, weight, ttl);
    }
    return question.type().equals(DnsRecordType.TXT)
        ? new TxtRecord(strings(content), ttl)
        : address(content);
  }

  private static List<String> strings(ByteBuf content) {
    List<String> strings = new ArrayList<>();
    while (content.isReadable()) {
      int length = content.readUnsignedByte();
      strings.add(content.readCharSequence(length, StandardCharsets.UTF_8).toString());
    }
    return strings;
  }

  private static @Nullable InetAddress address(ByteBuf content) {
    byte[] bytes = new byte[content.readableBytes()];
    content.readBytes(bytes);
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      return null; // not the length of an address
    }
  }

  // an independent view; compressed names may point anywhere in the response
  private static ByteBuf content(DnsRecord record) {
    return ((DnsRawRecord) record).content().duplicate();
  }

  /// A name in the form of [Question].
  private static String plain(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }
}
