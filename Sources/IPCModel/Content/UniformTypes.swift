extension ContentType {
    /// Apple's uniform type identifiers, each with its MIME type.
    ///
    /// The identifiers are accepted wherever a content type is expected, but only MIME types are sent. If several
    /// identifiers have the same MIME type, ``uniformType`` returns the first.
    public static let uniformTypes: [(uniformType: String, contentType: String)] = [
        ("public.utf8-plain-text", "text/plain;charset=utf-8"),
        ("public.utf16-plain-text", "text/plain;charset=utf-16"),
        ("public.plain-text", "text/plain"),
        ("public.text", "text/plain"),
        ("public.url", "text/uri-list"),
        ("public.file-url", "text/uri-list"),
        ("public.html", "text/html"),
        ("public.xhtml", "application/xhtml+xml"),
        ("public.rtf", "text/rtf"),
        ("public.xml", "application/xml"),
        ("public.json", "application/json"),
        ("public.yaml", "application/yaml"),
        ("public.css", "text/css"),
        ("com.netscape.javascript-source", "text/javascript"),
        ("net.daringfireball.markdown", "text/markdown"),
        ("public.comma-separated-values-text", "text/csv"),
        ("public.tab-separated-values-text", "text/tab-separated-values"),
        ("public.vcard", "text/vcard"),
        ("com.apple.ical.ics", "text/calendar"),
        ("public.email-message", "message/rfc822"),
        ("public.png", "image/png"),
        ("public.jpeg", "image/jpeg"),
        ("public.jpeg-2000", "image/jp2"),
        ("public.tiff", "image/tiff"),
        ("public.svg-image", "image/svg+xml"),
        ("public.heic", "image/heic"),
        ("public.heif", "image/heif"),
        ("public.avif", "image/avif"),
        ("com.compuserve.gif", "image/gif"),
        ("com.microsoft.bmp", "image/bmp"),
        ("com.microsoft.ico", "image/vnd.microsoft.icon"),
        ("com.adobe.photoshop-image", "image/vnd.adobe.photoshop"),
        ("org.webmproject.webp", "image/webp"),
        ("com.adobe.pdf", "application/pdf"),
        ("com.adobe.postscript", "application/postscript"),
        ("public.mp3", "audio/mpeg"),
        ("public.mpeg-4-audio", "audio/mp4"),
        ("public.aiff-audio", "audio/aiff"),
        ("public.midi-audio", "audio/midi"),
        ("com.microsoft.waveform-audio", "audio/vnd.wave"),
        ("org.xiph.flac", "audio/flac"),
        ("public.mpeg", "video/mpeg"),
        ("public.mpeg-4", "video/mp4"),
        ("public.avi", "video/x-msvideo"),
        ("com.apple.quicktime-movie", "video/quicktime"),
        ("org.webmproject.webm", "video/webm"),
        ("public.opentype-font", "font/otf"),
        ("public.truetype-ttf-font", "font/ttf"),
        ("public.zip-archive", "application/zip"),
        ("public.tar-archive", "application/x-tar"),
        ("org.gnu.gnu-zip-archive", "application/gzip"),
        ("com.microsoft.word.doc", "application/msword"),
        ("com.microsoft.excel.xls", "application/vnd.ms-excel"),
        ("com.microsoft.powerpoint.ppt", "application/vnd.ms-powerpoint"),
        ("org.openxmlformats.wordprocessingml.document", openXML + "wordprocessingml.document"),
        ("org.openxmlformats.spreadsheetml.sheet", openXML + "spreadsheetml.sheet"),
        ("org.openxmlformats.presentationml.presentation", openXML + "presentationml.presentation"),
        ("org.oasis-open.opendocument.text", "application/vnd.oasis.opendocument.text"),
        ("org.oasis-open.opendocument.spreadsheet", "application/vnd.oasis.opendocument.spreadsheet"),
        ("org.oasis-open.opendocument.presentation", "application/vnd.oasis.opendocument.presentation"),
        ("public.data", "application/octet-stream"),
    ]

    private static let openXML = "application/vnd.openxmlformats-officedocument."

    /// The uniform type identifier of this type; `nil` if ``uniformTypes`` has none.
    public var uniformType: String? { Self.uniformTypeByMIMEType[canonical] }

    /// The MIME type of an identifier, compared without regard to case; `nil` if ``uniformTypes`` does not list it.
    static func mimeType(ofUniformType text: String) -> String? {
        guard text.utf8.count <= maximumBytes, !text.utf8.contains(UInt8(ascii: "/")) else { return nil }
        return mimeTypeByUniformType[text.asciiLowercased]
    }

    private static let mimeTypeByUniformType = Dictionary(
        uniqueKeysWithValues: uniformTypes.map { ($0.uniformType, $0.contentType) })

    private static let uniformTypeByMIMEType = Dictionary(
        uniformTypes.map { ($0.contentType, $0.uniformType) }, uniquingKeysWith: { first, _ in first })
}
