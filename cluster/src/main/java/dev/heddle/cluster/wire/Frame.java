// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One unit of what two nodes tell each other within a session, in order.
///
/// A `content` is a message, encoded by [MessageTypes]. An `id` is a number that the node gave that
/// sent the first frame with it.
public sealed interface Frame {
  /// The types that the sender of the session encodes, as [MessageTypes#signatures] has them: the
  /// index in the list is the number that contents have. Sent before any content, and again, whole,
  /// when types are added.
  record Types(List<String> signatures) implements Frame {}

  // ---- messages ----

  record Message(Pid to, Content content) implements Frame {}

  record Ask(long id, Pid to, byte[] content) implements Frame {}

  /// The reply to an ask.
  record Answer(long id, byte[] content) implements Frame {}

  /// An ask has failed.
  record AskFailed(long id, FailureText failure) implements Frame {}

  /// The asker has given up.
  record GiveUp(long id) implements Frame {}

  /// Messages to a process were not accepted by its mailbox.
  record Refused(Pid to, SendResult why, long count) implements Frame {}

  /// The mailbox of a process is nearly full.
  record Pause(Pid to, MailboxPolicy policy) implements Frame {}

  /// It has space again.
  record Resume(Pid to) implements Frame {}

  // ---- links and monitors ----

  /// The sender's node wants to know of the end of a process of the receiver's node.
  record Monitor(Pid target) implements Frame {}

  /// It no longer does.
  record Demonitor(Pid target) implements Frame {}

  /// Links a process of the sender's node to one of the receiver's: each node monitors the process
  /// of the other from now on.
  record Link(Pid from, Pid to) implements Frame {}

  /// Undoes a link.
  ///
  /// @param seen how many `Link` frames its sender had received in this session: a link that the
  ///   receiver has made later is not meant
  record Unlink(Pid from, Pid to, long seen) implements Frame {}

  /// A process of the sender's node has ended.
  record Down(Pid pid, ExitText exit) implements Frame {}

  // ---- orders ----

  /// Asks for an `Answer` with true when a process has started, or with false when it ends before.
  record AwaitStart(long id, Pid target) implements Frame {}

  /// Starts a process at the receiver's node.
  ///
  /// @param parent of the process, at the sender's node; may be null
  /// @param name local to the receiver's node; may be null
  record Spawn(
      long id,
      String entry,
      byte[] input,
      @Nullable Pid parent,
      List<SpawnFlag> flags,
      @Nullable String name)
      implements Frame {}

  enum SpawnFlag {
    /// it is linked to its parent
    LINK,
    /// the sender's node wants to know of its end
    MONITOR,
    /// it is asked to end when its parent has ended
    WITH_PARENT
  }

  record Spawned(long id, Pid pid) implements Frame {}

  record SpawnFailed(long id, FailureText failure) implements Frame {}

  record Terminate(Pid target, String reason) implements Frame {}

  record Cancel(Pid target, String reason, long nanos) implements Frame {}

  record RequestExit(@Nullable Pid from, Pid target, byte[] detail) implements Frame {}

  // ---- groups ----

  /// All members that the sender's node has, by group; sent when the session opens.
  record Members(Map<String, List<Pid>> groups) implements Frame {}

  record Joined(String group, Pid member) implements Frame {}

  record Left(String group, Pid member) implements Frame {}

  // ---- other rooms ----

  /// A message of another part of the cluster (roster, shards) to the same part there.
  record Service(String name, byte[] content) implements Frame {}

  /// An exit as it travels.
  ///
  /// @param result encoded; null for none
  /// @param detail encoded; null for none
  record ExitText(
      Exit.Reason reason,
      byte @Nullable [] result,
      @Nullable FailureText cause,
      byte @Nullable [] detail) {}

  /// A failure as it travels.
  ///
  /// @param trace at most 8 KiB
  record FailureText(String type, @Nullable String message, String trace) {}
}
