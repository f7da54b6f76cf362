// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordDecoder;
import io.netty.util.ReferenceCountUtil;

/// Lets only messages pass that repeat the question. What does not is forged, or another's.
///
/// Netty drops such messages, too, but logs a warning for each that shows it whole: whoever can
/// send us datagrams would write our log.
final class AnswerValidator extends ChannelInboundHandlerAdapter {
  private static final int HEADER = 12; // bytes
  private static final int QUESTIONS = 4; // where the header has their number

  private final DnsQuestion question;

  AnswerValidator(Question question) {
    this.question = new DefaultDnsQuestion(question.name(), question.type());
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof DatagramPacket packet && !isOwn(packet.content().duplicate())) {
      ReferenceCountUtil.release(packet);
    } else {
      ctx.fireChannelRead(message);
    }
  }

  private boolean isOwn(ByteBuf message) {
    try {
      int questions = message.getUnsignedShort(message.readerIndex() + QUESTIONS);
      message.skipBytes(HEADER);
      return questions == 1 && DnsRecordDecoder.DEFAULT.decodeQuestion(message).equals(question);
    } catch (Exception e) {
      return false; // safe: what cannot be read does not repeat it
    }
  }
}
