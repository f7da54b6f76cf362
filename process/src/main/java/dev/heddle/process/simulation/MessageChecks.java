// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.simulation;

import dev.heddle.process.simulation.ProcessWorld.MessageCheck;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/// Compares the messages of a runtime, when they are received, with what they were when they were
/// sent. A change fails the simulation.
///
/// **Thread** any: threads outside of the simulation may send, too.
public final class MessageChecks {
  private final ProcessWorld world;
  private final Set<String> unchecked = new ConcurrentSkipListSet<>();

  public MessageChecks(ProcessWorld world) {
    this.world = world;
  }

  /// The image of what is sent now; null when it is not to be compared.
  public @Nullable MessageImage imageOf(@Nullable Object sent) {
    if (sent == null || world.messageCheck() == MessageCheck.NONE) {
      return null;
    }
    MessageImage image = MessageImage.of(sent);
    unchecked.addAll(image.unchecked());
    return image;
  }

  /// Compares what is received now with its image.
  public void compare(
      String sender, String receiver, @Nullable Object message, MessageImage sentAs) {
    String change = sentAs.change();
    if (change != null) {
      world.failed(
          "%s has sent %s the message %s, which was changed before it was received: %s; send a"
                  .formatted(sender, receiver, describe(message), change)
              + " copy, or an immutable object");
    }
  }

  private static String describe(@Nullable Object message) {
    String text = String.valueOf(message);
    return text.length() > 200 ? text.substring(0, 200) + "…" : text;
  }

  /// The classes in messages whose content was not compared.
  public Set<String> unchecked() {
    return unchecked;
  }
}
