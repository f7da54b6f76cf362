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

/// Passes only messages that repeat the question; others are forged or belong to another query.
///
/// Netty drops such messages, too, but logs each of them completely: anyone who can send datagrams
/// to this process could fill its log.
final class AnswerValidator extends ChannelInboundHandlerAdapter {
  private static final int HEADER = 12; // bytes
  private static final int QUESTIONS = 4; // offset of their number in the header

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
      return false; // safe: a malformed message does not repeat the question
    }
  }
}
