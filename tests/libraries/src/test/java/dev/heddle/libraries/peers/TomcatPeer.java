// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.peers;

import jakarta.servlet.Servlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.http.fileupload.FileUtils;

/// Tomcat, embedded.
final class TomcatPeer {
  private TomcatPeer() {}

  static Running start(ExecutorService executor, Handler handler) throws Exception {
    return start(
        new Answering(handler),
        connector -> {
          // @start region=tomcat
          connector.getProtocolHandler().setExecutor(executor); // each request is a coroutine
          // @end
        });
  }

  /// Starts one for a servlet.
  static Running start(Servlet servlet, Consumer<Connector> settings) throws Exception {
    Path folder = Files.createTempDirectory("heddle-tomcat");
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(folder.toString());
    Connector connector = new Connector();
    connector.setPort(0);
    var _ = connector.setProperty("address", Running.ADDRESS.getHostString());
    settings.accept(connector);
    tomcat.setConnector(connector);
    Context context = tomcat.addContext("", null);
    Wrapper wrapper = Tomcat.addServlet(context, "answering", servlet);
    wrapper.setAsyncSupported(true);
    wrapper.setLoadOnStartup(1);
    wrapper.addMapping("/");
    tomcat.start();
    return Running.http(
        connector.getLocalPort(),
        () -> {
          tomcat.stop();
          tomcat.destroy();
          FileUtils.deleteDirectory(folder.toFile());
        });
  }

  private static final class Answering extends HttpServlet {
    private static final long serialVersionUID = 1;

    private final transient Handler handler;

    Answering(Handler handler) {
      this.handler = handler;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      response.getWriter().write(handler.answer());
    }
  }
}
