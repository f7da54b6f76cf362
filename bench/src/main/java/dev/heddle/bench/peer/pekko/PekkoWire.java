// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.pekko;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import org.apache.pekko.actor.typed.ActorRef;

/// What remote actors say to each other: records in CBOR, by Pekko's Jackson serializer.
sealed interface PekkoWire {
  /// Artery over TCP at a free port of loopback. Its queue holds what all senders have credit for,
  /// for it drops what does not fit.
  Config REMOTE =
      ConfigFactory.parseString(
              """
              pekko.actor {
                provider = remote
                serialization-bindings { "dev.heddle.bench.peer.pekko.PekkoWire" = jackson-cbor }
              }
              pekko.remote {
                use-unsafe-remote-features-outside-cluster = on
                warn-about-direct-use = off
                artery {
                  transport = tcp
                  canonical { hostname = "127.0.0.1", port = 0 }
                  advanced.outbound-message-queue-size = 32768
                }
              }
              """)
          .withFallback(PekkoSystem.TIGHT);

  /// Who wants answers.
  record Greeting(ActorRef<PekkoWire> from, int sender) implements PekkoWire {}

  /// A small record.
  record Small(long number, String text) implements PekkoWire {}

  /// A small record of a sender.
  record Item(int sender, long number) implements PekkoWire {}

  /// A hundred bytes of a sender.
  @SuppressWarnings("ArrayRecordComponent") // the bytes are the load
  record Blob(int sender, byte[] bytes) implements PekkoWire {}

  /// The receiver has counted [dev.heddle.bench.partner.Window#CREDIT] more.
  record Credit(long counted) implements PekkoWire {}

  /// A question.
  record Question(long number, ActorRef<PekkoWire> from) implements PekkoWire {}

  /// Of the sender to itself: begin a round.
  record Go(long each) implements PekkoWire {}
}
