// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.peers;

import java.util.concurrent.ExecutorService;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/// Jetty, whose own threads accept and select.
final class JettyPeer {
  private JettyPeer() {}

  static Running start(ExecutorService executor, Handler handler) throws Exception {
    // @start region=jetty
    QueuedThreadPool threads = new QueuedThreadPool();
    threads.setVirtualThreadsExecutor(executor); // handlers that may block run there
    Server server = new Server(threads);
    // @end
    ServerConnector connector = new ServerConnector(server);
    connector.setHost(Running.ADDRESS.getHostString());
    server.addConnector(connector);
    server.setHandler(new Answering(handler));
    server.start();
    return Running.http(connector.getLocalPort(), server::stop);
  }

  private static final class Answering extends org.eclipse.jetty.server.Handler.Abstract {
    private final Handler handler;

    Answering(Handler handler) {
      this.handler = handler;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      Content.Sink.write(response, true, handler.call(), callback);
      return true;
    }
  }
}
