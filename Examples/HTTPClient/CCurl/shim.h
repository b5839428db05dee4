// libcurl fetches over HTTP and TLS (Debian: libcurl4-openssl-dev). These functions are in C because curl_easy_setopt and
// curl_easy_getinfo take their arguments by "...", which Swift cannot call.
#pragma once
#include <curl/curl.h>

static inline CURLcode ccurl_set_number(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

// Sets a text, a list, a buffer or the context of a function. libcurl copies only texts.
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_function(CURL *easy, CURLoption option, curl_write_callback function) {
    return curl_easy_setopt(easy, option, function);
}

// Makes the request a POST with a copy of the bytes. The pointer must not be null, even for no bytes.
static inline CURLcode ccurl_post(CURL *easy, const void *_Nonnull bytes, size_t count) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POST, 1L);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code ? code : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes);
}

// Returns how many bytes of the request and of the answer have been transferred; 0 until the connection is established.
static inline curl_off_t ccurl_transferred(CURL *easy) {
    long request = 0, headers = 0;
    curl_off_t sent = 0, received = 0;
    curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &request);
    curl_easy_getinfo(easy, CURLINFO_HEADER_SIZE, &headers);
    curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &received);
    return request + headers + sent + received;
}

// Returns the errno of the last attempt to connect; 0 if there is none.
static inline int ccurl_errno(CURL *easy) {
    long error = 0;
    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &error);
    return (int)error;
}
