// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.cluster.roster.Command.DeclareSingleton;
import dev.heddle.cluster.roster.Command.FinishSingleton;
import dev.heddle.cluster.roster.Command.OfferSingletons;
import dev.heddle.cluster.roster.Command.Origin;
import dev.heddle.cluster.roster.Command.SingletonCommand;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The part of [RosterCodec] for singletons.
final class SingletonCodec {
  static final int FIRST = 48; // the numbers of its commands

  private static final int DECLARE = FIRST;
  private static final int OFFER = FIRST + 1;
  private static final int FINISH = FIRST + 2;
  private static final int OFFER_RANGE = FIRST + 3;

  private SingletonCodec() {}

  static void write(DataOutputStream out, SingletonCommand command) throws IOException {
    switch (command) {
      case DeclareSingleton(Origin origin, SingletonSpec spec) -> {
        out.writeByte(DECLARE);
        RosterCodec.writeOrigin(out, origin);
        write(out, spec);
      }
      case OfferSingletons offer -> write(out, offer);
      case FinishSingleton(String name, long declared, long token) -> {
        out.writeByte(FINISH);
        out.writeUTF(name);
        out.writeLong(declared);
        out.writeLong(token);
      }
    }
  }

  private static void write(DataOutputStream out, OfferSingletons offer) throws IOException {
    out.writeByte(offer.isWhole() ? OFFER : OFFER_RANGE);
    out.writeUTF(offer.node());
    out.writeLong(offer.admission());
    if (!offer.isWhole()) {
      out.writeUTF(offer.after());
      out.writeBoolean(offer.upTo() != null);
      if (offer.upTo() != null) {
        out.writeUTF(offer.upTo());
      }
    }
    writeTexts(out, offer.names());
  }

  private static OfferSingletons readRange(DataInputStream in) throws IOException {
    String node = in.readUTF();
    long admission = in.readLong();
    String after = in.readUTF();
    String upTo = in.readBoolean() ? in.readUTF() : null;
    return new OfferSingletons(node, admission, after, upTo, new TreeSet<>(readTexts(in)));
  }

  /// The rest of a command.
  ///
  /// @param kind the number that [#write] has begun with
  static Command read(int kind, DataInputStream in) throws IOException {
    return switch (kind) {
      case DECLARE -> new DeclareSingleton(RosterCodec.readOrigin(in), readSpec(in));
      case OFFER -> new OfferSingletons(in.readUTF(), in.readLong(), new TreeSet<>(readTexts(in)));
      case OFFER_RANGE -> readRange(in);
      case FINISH -> new FinishSingleton(in.readUTF(), in.readLong(), in.readLong());
      default -> throw new IOException("no command has the number " + kind);
    };
  }

  static void write(DataOutputStream out, SingletonTable table) throws IOException {
    out.writeInt(table.all().size());
    for (SingletonTable.Declared it : table.all()) {
      write(out, it.spec());
      out.writeLong(it.index());
      out.writeLong(it.lastToken());
    }
    out.writeInt(table.offers().size());
    for (var offer : table.offers().entrySet()) {
      out.writeUTF(offer.getKey());
      writeTexts(out, offer.getValue());
    }
  }

  static void read(DataInputStream in, SingletonTable table) throws IOException {
    List<SingletonTable.Declared> all = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      all.add(new SingletonTable.Declared(readSpec(in), in.readLong(), in.readLong()));
    }
    Map<String, SortedSet<String>> offers = new TreeMap<>();
    for (int left = in.readInt(); left > 0; left--) {
      offers.put(in.readUTF(), SortedNames.copyOf(readTexts(in)));
    }
    table.restore(all, offers);
  }

  static void write(DataOutputStream out, SingletonSpec spec) throws IOException {
    out.writeUTF(spec.name());
    out.writeUTF(spec.entry());
    out.writeBoolean(spec.node() != null);
    if (spec.node() != null) {
      out.writeUTF(spec.node());
    }
    out.writeInt(spec.labels().size());
    for (var label : spec.labels().entrySet()) {
      out.writeUTF(label.getKey());
      out.writeUTF(label.getValue());
    }
    SingletonSpec.Input input = spec.input();
    out.writeUTF(input.sender());
    out.writeUTF(input.host());
    out.writeInt(input.life());
    writeTexts(out, input.types());
    out.writeInt(input.content().length);
    out.write(input.content());
  }

  static SingletonSpec readSpec(DataInputStream in) throws IOException {
    String name = in.readUTF();
    String entry = in.readUTF();
    String node = in.readBoolean() ? in.readUTF() : null;
    Map<String, String> labels = new TreeMap<>();
    for (int left = in.readInt(); left > 0; left--) {
      labels.put(in.readUTF(), in.readUTF());
    }
    return new SingletonSpec(name, entry, node, labels, readInput(in));
  }

  private static SingletonSpec.Input readInput(DataInputStream in) throws IOException {
    String sender = in.readUTF();
    String host = in.readUTF();
    int life = in.readInt();
    List<String> types = readTexts(in);
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new IOException("an input has %d bytes of %d".formatted(length, in.available()));
    }
    return new SingletonSpec.Input(sender, host, life, types, in.readNBytes(length));
  }

  private static void writeTexts(DataOutputStream out, Collection<String> texts)
      throws IOException {
    out.writeInt(texts.size());
    for (String text : texts) {
      out.writeUTF(text);
    }
  }

  private static List<String> readTexts(DataInputStream in) throws IOException {
    List<String> texts = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      texts.add(in.readUTF());
    }
    return texts;
  }
}
